import type { Micros } from '../../../base/instant.ts';

/** The instant from which each asset or reader must be derived again: the earliest one recorded. */
export class SinceWhen {
  readonly #times = new Map<number, Micros>();

  add(id: number, since: Micros): void {
    this.#times.set(id, Math.min(this.#times.get(id) ?? since, since));
  }

  /** Moves to `others` what both have, from the earlier instant on: one look is enough for both. */
  moveShared(others: SinceWhen): void {
    for (const [id, since] of this.#times) {
      if (others.#times.has(id)) {
        others.add(id, since);
        this.#times.delete(id);
      }
    }
  }

  entries(): readonly (readonly [id: number, since: Micros])[] {
    return [...this.#times];
  }
}
