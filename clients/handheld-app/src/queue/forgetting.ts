import type { Database } from '../storage/database.ts';
import { forgetOldest } from './store.ts';

/** Answers after which old scans are pruned again: an app that is never closed must not fill the device. */
const EVERY = 1_000;

export class Forgetting {
  readonly #database: Database;
  #answers = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  async answered(scans: number): Promise<void> {
    this.#answers += scans;
    if (this.#answers >= EVERY) {
      this.#answers = 0;
      await forgetOldest(this.#database);
    }
  }
}
