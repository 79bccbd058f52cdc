import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { Interval } from '../intervals.ts';

export const MODES = ['portal', 'continuous'] as const;
export const COVERAGES = ['all', 'any'] as const;

/** How a location is watched. */
export interface Watch {
  /** `portal`: things pass. `continuous`: present things are read again and again, so an absence is noticed. */
  mode: (typeof MODES)[number];
  /** The covered time within which things there are read again; null if unknown, and for portals. */
  maxGap: Micros | null;
  /** How many of its enabled antennas must be listening. */
  coverage: (typeof COVERAGES)[number];
}

/** As of `from`, until the next. */
export interface DatedWatch extends Watch {
  from: Micros;
}

export const MAX_GAP = { least: MICROS_PER_SECOND, most: 86_400 * MICROS_PER_SECOND };

/** The watching of a location without a setting. */
export const UNWATCHED: DatedWatch = {
  from: Number.NEGATIVE_INFINITY,
  mode: 'portal',
  maxGap: null,
  coverage: 'all',
};

/**
 * The parts of a time in which the location was watched continuously.
 *
 * @param dated in order.
 */
export function continuousPeriods(
  dated: readonly DatedWatch[],
  { since, until }: Interval,
): (Interval & { coverage: Watch['coverage'] })[] {
  return dated
    .map(({ mode, coverage, from }, at) => ({
      ...{ mode, coverage },
      since: Math.max(since, from),
      until: Math.min(until, dated[at + 1]?.from ?? until),
    }))
    .filter((period) => period.mode === 'continuous' && period.since < period.until);
}
