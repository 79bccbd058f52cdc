import { firstOf, isExact, lastOf, type Span } from './span.ts';

/** A read of an asset at a location. */
export interface Seen extends Span {
  location: string;
  /** dBm. */
  rssi: number;
}

export interface Stay {
  location: string;
  since: Span;
}

/**
 * The course of one asset: its reads in order of time, of one instant the strongest, then the one at the location with
 * the smallest id; every run of reads at one location is a stay (tracking rule 1). Written once more here, on purpose
 * without any of the code under test.
 *
 * Where a time is known as a span only, the order may be unknown; then the course is undecided.
 */
export class Course {
  readonly stays: Stay[] = [];
  lastSeen: Span | null = null;
  isDecided = true;
  /** Latest possible time at each location so far. */
  readonly #reach = new Map<string, number>();
  #lastInstant: number | null = null;

  /** @param seen in the order of {@link inOrder}. */
  add(seen: Seen): void {
    const { location, earliest, latest } = seen;
    if (isExact(seen)) {
      if (this.#lastInstant === earliest) {
        // A weaker one of the same instant.
        return;
      }
      this.#lastInstant = earliest;
    }
    for (const [other, reach] of this.#reach) {
      if (other !== location && reach >= earliest) {
        this.isDecided = false;
      }
    }
    this.#reach.set(location, Math.max(latest, this.#reach.get(location) ?? 0));
    const stay = this.stays.at(-1);
    if (stay?.location === location) {
      stay.since = firstOf(stay.since, seen);
    } else {
      this.stays.push({ location, since: { earliest, latest } });
    }
    this.lastSeen = this.lastSeen === null ? { earliest, latest } : lastOf(this.lastSeen, seen);
  }
}

/** The order in which reads make a course. @param rank of a location: its id, or anything of the same order. */
export function inOrder(reads: readonly Seen[], rank: (location: string) => number): Seen[] {
  return reads.toSorted(
    (a, b) => a.earliest - b.earliest || b.rssi - a.rssi || rank(a.location) - rank(b.location),
  );
}
