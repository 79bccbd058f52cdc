import type { Micros } from '../../../base/instant.ts';
import type { Interval } from '../../presence/intervals.ts';

/** What is to be derived anew of each asset or reader: from the earliest instant that was said of it, to the latest. */
export class SinceWhen {
  readonly #times = new Map<number, Interval>();

  add(id: number, since: Micros, until: Micros = since): void {
    const other = this.#times.get(id) ?? { since, until };
    this.#times.set(id, { since: Math.min(other.since, since), until: Math.max(other.until, until) });
  }

  /** Moves to `others` what both have, from the earlier instant on: one look is enough for both. */
  moveShared(others: SinceWhen): void {
    for (const [id, { since, until }] of this.#times) {
      if (others.#times.has(id)) {
        others.add(id, since, until);
        this.#times.delete(id);
      }
    }
  }

  entries(): readonly (readonly [id: number, times: Interval])[] {
    return [...this.#times];
  }
}
