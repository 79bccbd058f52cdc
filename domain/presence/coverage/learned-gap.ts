import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { MAX_GAP } from './watches.ts';

/** Fewer gaps say nothing of the longest in a thousand. */
const ENOUGH = 100;

/**
 * After how much time what is at a location was read again: twice the 99.9th percentile of the gaps between reads of one
 * asset there, in whole seconds. Null where there were too few reads to tell.
 */
export function learnedGap(gaps: readonly Micros[]): Micros | null {
  if (gaps.length < ENOUGH) {
    return null;
  }
  const longestFirst = gaps.toSorted((a, b) => b - a);
  const usual = longestFirst[Math.floor(gaps.length / 1_000)] ?? 0;
  const seconds = Math.ceil((2 * usual) / MICROS_PER_SECOND) * MICROS_PER_SECOND;
  return Math.min(MAX_GAP.most, Math.max(MAX_GAP.least, seconds));
}
