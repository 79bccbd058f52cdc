import { firstIndex } from '../../../base/first-index.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { Interval } from '../intervals.ts';
import { MAX_GAP } from './watches.ts';

/** Gaps between reads of one asset each. */
export interface Gaps {
  count: number;
  /** The longest first, more than one in a thousand of them. */
  longest: readonly Interval[];
}

/** Fewer gaps say nothing of the longest in a thousand. */
const ENOUGH = 100;

/**
 * The time within which things at a location are read again: twice the 99.9th percentile of the gaps between reads of
 * one asset there, in whole seconds. Null with too few reads.
 */
export function learnedGap({ count, longest }: Gaps): Micros | null {
  const usual = longest[Math.floor(count / 1_000)];
  if (count < ENOUGH || usual === undefined) {
    return null;
  }
  const seconds = Math.ceil((2 * (usual.until - usual.since)) / MICROS_PER_SECOND) * MICROS_PER_SECOND;
  return Math.min(MAX_GAP.most, Math.max(MAX_GAP.least, seconds));
}

/**
 * Without gaps during which the location was not always covered: an outage is no gap between reads, and two of a
 * hundred assets in 200,000 reads would teach patience.
 *
 * @param covered sorted and disjoint.
 */
export function coveredGaps({ count, longest }: Gaps, covered: readonly Interval[]): Gaps {
  const isCovered = ({ since, until }: Interval): boolean => {
    const at = firstIndex(0, covered.length, (index) => (covered[index] as Interval).until >= until);
    return (covered[at]?.since ?? Number.POSITIVE_INFINITY) <= since;
  };
  const left = longest.filter(isCovered);
  return { count: count - (longest.length - left.length), longest: left };
}
