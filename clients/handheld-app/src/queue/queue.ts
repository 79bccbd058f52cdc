import { signal } from '@preact/signals';
import type { Database, StoredSubmission } from '../storage/database.ts';
import { findKnown } from '../storage/known.ts';
import type { KnownAsset } from '../storage/known-asset.ts';
import { latest } from '../storage/latest.ts';
import type { OtherTabs } from '../storage/other-tabs.ts';
import type { StoredScan } from '../storage/scan.ts';
import { type FinishedSweep, finishedSweeps } from '../sweep/finished-sweeps.ts';
import { undosWaiting } from './undo.ts';

const SHOWN = 200;

export interface ShownScan {
  scan: StoredScan;
  known: KnownAsset | null;
}

/** The queue as screens show it; reloaded on every change, in this tab or another. */
export class QueueView {
  /** Scans, finished sweeps and what takes scans back that are not sent. */
  readonly waiting = signal(0);
  /** Retractions among them. */
  readonly waitingUndos = signal(0);
  /** Sweeps among them. */
  readonly waitingSweeps = signal(0);
  readonly refusedSweeps = signal<readonly FinishedSweep[]>([]);
  /** Whether something to be sent is being stored: not counted yet, and not safe. */
  readonly isStoring = signal(false);
  readonly recent = signal<readonly ShownScan[]>([]);
  readonly refused = signal<readonly StoredSubmission[]>([]);
  readonly #database: Database;
  readonly #otherTabs: OtherTabs;
  #storing = 0;
  /** Debounced: changes in quick succession are read together. */
  readonly read = latest(() => this.#read());

  constructor(database: Database, otherTabs: OtherTabs) {
    this.#database = database;
    this.#otherTabs = otherTabs;
  }

  /** Call after a change; notifies other tabs. Resolves when it is shown. */
  async changed(): Promise<void> {
    this.#otherTabs.tell();
    await this.read();
  }

  /** Call with what stores something to be sent. Resolves when it is shown. */
  async storing(work: Promise<void>): Promise<void> {
    this.#storing += 1;
    this.isStoring.value = true;
    try {
      await work;
    } finally {
      await this.changed();
      this.#storing -= 1;
      this.isStoring.value = this.#storing > 0;
    }
  }

  async #read(): Promise<void> {
    const transaction = this.#database.transaction(['scans', 'submissions']);
    const scans = transaction.objectStore('scans');
    const [queued, bundled, refused, recent] = await Promise.all([
      scans.index('state').count('queued'),
      scans.index('state').count('bundled'),
      transaction.objectStore('submissions').index('state').getAll('refused'),
      newest(scans),
    ]);
    const known = await findKnown(this.#database, recent);
    const sweeps = await finishedSweeps(this.#database);
    this.refusedSweeps.value = sweeps.filter(({ state }) => state === 'refused');
    this.waitingSweeps.value = sweeps.length - this.refusedSweeps.value.length;
    this.waitingUndos.value = (await undosWaiting(this.#database)).length;
    this.waiting.value = queued + bundled + this.waitingSweeps.value + this.waitingUndos.value;
    this.refused.value = refused;
    this.recent.value = recent.map((scan, index) => ({ scan, known: known[index] ?? null }));
  }
}

interface Cursor {
  value: StoredScan;
  continue(): Promise<Cursor | null>;
}

async function newest(scans: {
  openCursor(query: null, direction: 'prev'): Promise<Cursor | null>;
}): Promise<StoredScan[]> {
  const found: StoredScan[] = [];
  let cursor = await scans.openCursor(null, 'prev');
  while (cursor !== null && found.length < SHOWN) {
    found.push(cursor.value);
    cursor = await cursor.continue();
  }
  return found;
}
