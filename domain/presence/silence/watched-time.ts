import { firstIndex } from '../../../base/first-index.ts';
import type { Micros } from '../../../base/instant.ts';
import type { Interval } from '../intervals.ts';

/**
 * The time in which somebody could hear, of a stretch: readers' silence is measured by a clock that stands while no
 * process of ingestion is connected.
 *
 * @param watched sorted and disjoint.
 */
export function watchedBetween(watched: readonly Interval[], since: Micros, until: Micros): Micros {
  let sum = 0;
  for (let at = firstEndingAfter(watched, since); at < watched.length; at++) {
    const each = watched[at] as Interval;
    if (each.since >= until) {
      break;
    }
    sum += Math.min(each.until, until) - Math.max(each.since, since);
  }
  return Math.max(0, sum);
}

/** The instant at which so much time was watched since another; null if it has not come yet. */
export function watchedSince(watched: readonly Interval[], since: Micros, span: Micros): Micros | null {
  let left = span;
  for (let at = firstEndingAfter(watched, since); at < watched.length; at++) {
    const each = watched[at] as Interval;
    const begin = Math.max(each.since, since);
    if (each.until - begin >= left) {
      return begin + left;
    }
    left -= each.until - begin;
  }
  return null;
}

/** By binary search: there may be many, and each reader asks. */
function firstEndingAfter(watched: readonly Interval[], since: Micros): number {
  return firstIndex(0, watched.length, (at) => (watched[at] as Interval).until > since);
}
