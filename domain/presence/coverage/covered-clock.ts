import { firstIndex } from '../../../base/first-index.ts';
import type { Micros } from '../../../base/instant.ts';
import type { Interval } from '../intervals.ts';

/** A clock that runs only while a location is covered. */
export class CoveredClock {
  readonly #covered: readonly Interval[];
  /** The time covered before each of them. */
  readonly #before: Micros[] = [];

  /** @param covered sorted and disjoint. */
  constructor(covered: readonly Interval[]) {
    this.#covered = covered;
    let sum = 0;
    for (const { since, until } of covered) {
      this.#before.push(sum);
      sum += until - since;
    }
  }

  elapsed(since: Micros, until: Micros): Micros {
    return Math.max(0, this.#sumTo(until) - this.#sumTo(since));
  }

  /**
   * The instant at which the clock has run for a span since another instant; at most what has {@link elapsed} by a
   * later one.
   */
  reached(since: Micros, span: Micros): Micros {
    const wanted = this.#sumTo(since) + span;
    const at = lastIndex(this.#before, (before) => before < wanted);
    const covered = this.#covered[at];
    return covered === undefined ? since : covered.since + (wanted - (this.#before[at] ?? 0));
  }

  /** Whether it runs at an instant, and since when it does or does not; minus infinity if it never ran before. */
  at(instant: Micros): { runs: boolean; since: Micros } {
    const covered = this.#covered[lastIndex(this.#covered, ({ since }) => since <= instant)];
    if (covered === undefined) {
      return { runs: false, since: Number.NEGATIVE_INFINITY };
    }
    return instant < covered.until
      ? { runs: true, since: covered.since }
      : { runs: false, since: covered.until };
  }

  #sumTo(instant: Micros): Micros {
    const at = lastIndex(this.#covered, ({ since }) => since <= instant);
    const covered = this.#covered[at];
    return covered === undefined
      ? 0
      : (this.#before[at] ?? 0) + Math.min(covered.until, instant) - covered.since;
  }
}

/** Index of the last that passes; all after it fail. -1 if none does. */
function lastIndex<Item>(items: readonly Item[], passes: (item: Item) => boolean): number {
  return firstIndex(0, items.length, (index) => !passes(items[index] as Item)) - 1;
}
