import { signal } from '@preact/signals';
import { type Database, STRICT } from '../storage/database.ts';
import type { Writing } from './finished-sweeps.ts';
import type { Sweep } from './sweep.ts';

/** The sweep in memory and in storage, where another tab may change it, too. */
export class KeptSweep {
  readonly now = signal<Sweep | null>(null);
  readonly #database: Database;
  /** Changes in this tab. */
  #changes = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  async load(): Promise<void> {
    const changes = this.#changes;
    const kept = (await this.#database.get('kept', 'sweep')) as Sweep | undefined;
    // Changes made here meanwhile are newer than the stored copy.
    if (changes === this.#changes) {
      this.now.value = kept ?? null;
    }
  }

  async begin(sweep: Sweep): Promise<void> {
    this.#becomes(sweep);
    await this.#database.put('kept', sweep, 'sweep');
  }

  /**
   * Changes the sweep of that id: another tab may have changed it, too, or finished it.
   *
   * @param change applied to memory and storage; idempotent.
   * @param also written in the same transaction, with the sweep as it is then.
   * @returns false if it is another one by now.
   */
  async change(
    id: string | undefined,
    change: (sweep: Sweep) => Sweep | null,
    also?: (transaction: Writing, sweep: Sweep) => Promise<void>,
  ): Promise<boolean> {
    const before = this.now.value;
    if (before === null || before.id !== id) {
      return false;
    }
    this.#becomes(change(before));
    const changes = this.#changes;
    const transaction = this.#database.transaction(['kept', 'scans'], 'readwrite', STRICT);
    const store = transaction.objectStore('kept');
    const kept = ((await store.get('sweep')) as Sweep | undefined) ?? null;
    const sweep = kept?.id === id ? change(kept) : kept;
    await (sweep === null ? store.delete('sweep') : store.put(sweep, 'sweep'));
    if (kept?.id === id && sweep !== null) {
      await also?.(transaction, sweep);
    }
    await transaction.done;
    if (changes === this.#changes) {
      this.now.value = sweep;
    }
    return true;
  }

  /** At once, not when stored: the next scan may come before that. */
  #becomes(sweep: Sweep | null): void {
    this.#changes += 1;
    this.now.value = sweep;
  }
}
