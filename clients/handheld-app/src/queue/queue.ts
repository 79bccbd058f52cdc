import { signal } from '@preact/signals';
import type { Database, StoredSubmission } from '../storage/database.ts';
import { findKnown } from '../storage/known.ts';
import type { KnownAsset } from '../storage/known-asset.ts';
import { latest } from '../storage/latest.ts';
import type { OtherTabs } from '../storage/other-tabs.ts';
import type { StoredScan } from '../storage/scan.ts';

const SHOWN = 200;

export interface ShownScan {
  scan: StoredScan;
  known: KnownAsset | null;
}

/** What screens show of the queue; reloaded on every change, in this tab or another. */
export class QueueView {
  readonly waiting = signal(0);
  readonly recent = signal<readonly ShownScan[]>([]);
  readonly refused = signal<readonly StoredSubmission[]>([]);
  readonly #database: Database;
  readonly #otherTabs: OtherTabs;
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
    this.waiting.value = queued + bundled;
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
