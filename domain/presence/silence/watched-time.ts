import type { Micros } from '../../../base/instant.ts';
import type { Interval } from '../intervals.ts';

/**
 * The time in which somebody could hear, of a stretch: readers' silence is measured by a clock that stands while no
 * process of ingestion is connected.
 *
 * @param watched in order and apart.
 */
export function watchedBetween(watched: readonly Interval[], since: Micros, until: Micros): Micros {
  let sum = 0;
  for (const each of watched) {
    sum += Math.max(0, Math.min(each.until, until) - Math.max(each.since, since));
  }
  return sum;
}

/** The instant at which so much time was watched since another; null if it has not come yet. */
export function watchedSince(watched: readonly Interval[], since: Micros, span: Micros): Micros | null {
  let left = span;
  for (const each of watched) {
    const begin = Math.max(each.since, since);
    if (each.until > begin) {
      if (each.until - begin >= left) {
        return begin + left;
      }
      left -= each.until - begin;
    }
  }
  return null;
}
