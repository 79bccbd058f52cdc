import { signal } from '@preact/signals';
import type { Settings } from '../session/settings.ts';
import type { Database } from '../storage/database.ts';
import { limitAfter, withOneMore } from './pause-limit.ts';
import { LONGEST_LIMIT_MS, SHORTEST_LIMIT_MS } from './rhythm.ts';

/** The scanner's pauses within a scan, learned and stored on the device. */
export class ScannerPace {
  readonly #slowest = signal<readonly number[]>([]);
  readonly #database: Database;
  readonly #setting: () => Settings['pauses'];

  constructor(database: Database, setting: () => Settings['pauses']) {
    this.#database = database;
    this.#setting = setting;
  }

  get limit(): number {
    const setting = this.#setting();
    if (setting === 'auto') {
      return limitAfter(this.#slowest.value);
    }
    return setting === 'short' ? SHORTEST_LIMIT_MS : LONGEST_LIMIT_MS;
  }

  async load(): Promise<void> {
    this.#slowest.value = ((await this.#database.get('kept', 'pace')) as number[] | undefined) ?? [];
  }

  /** @param slowest longest pause of the scan just made. */
  learn(slowest: number): void {
    const before = limitAfter(this.#slowest.value);
    this.#slowest.value = withOneMore(this.#slowest.value, slowest);
    if (limitAfter(this.#slowest.value) !== before) {
      // Should it not be kept, it is learned again.
      void this.#database.put('kept', [...this.#slowest.value], 'pace').catch(() => {});
    }
  }
}
