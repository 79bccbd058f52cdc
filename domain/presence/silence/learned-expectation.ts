import { MICROS_PER_DAY, MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { Heard, Interval } from '../intervals.ts';
import { watchedBetween } from './watched-time.ts';

export interface CountedStretch extends Heard {
  messages: number;
}

export const LEARNED_FROM: Micros = 7 * MICROS_PER_DAY;

const LEAST: Micros = 30 * MICROS_PER_SECOND;
const MOST: Micros = MICROS_PER_DAY;

/** A reader heard for less than this is new: nothing is known of its silences. */
const KNOWN_AFTER: Micros = 3_600 * MICROS_PER_SECOND;

/**
 * How long a reader may say nothing, by the gaps between its messages in the seven days before: twice the 99.9th
 * percentile, in whole seconds. Of a thousand gaps one may be longer, so a reader's outages do not teach patience; where it
 * says little, they do. Gaps are in watched time.
 *
 * Gaps within a stretch count as none: twice such a gap is no longer than the least that is expected.
 *
 * @param heard stretches that ended in those days, in order and apart.
 * @returns null of a new reader.
 */
export function learnedExpectation(
  heard: readonly CountedStretch[],
  watched: readonly Interval[],
  at: Micros,
): Micros | null {
  const recent = heard.filter(({ until }) => until >= at - LEARNED_FROM);
  const [first, last] = [recent[0], recent.at(-1)];
  if (first === undefined || last === undefined || last.until - first.since < KNOWN_AFTER) {
    return null;
  }
  const messages = recent.reduce((sum, stretch) => sum + stretch.messages, 0);
  const gaps = recent
    .slice(1)
    .map(({ since }, before) => watchedBetween(watched, recent[before]?.until ?? since, since))
    .sort((a, b) => b - a);
  const usual = gaps[Math.floor((messages - 1) / 1_000)] ?? 0;
  const seconds = Math.ceil((2 * usual) / MICROS_PER_SECOND) * MICROS_PER_SECOND;
  return Math.min(MOST, Math.max(LEAST, seconds));
}
