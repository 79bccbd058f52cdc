import { type Interval, joined, without } from '../intervals.ts';
import { coveredTimes, type PlaceEvidence } from './covered-times.ts';
import { continuousPeriods } from './watches.ts';

/**
 * When a location that was watched continuously was not covered: what was there could leave unnoticed. A reader that still
 * has time for its next message at the end of the window is taken to listen.
 */
export function coverageGaps(evidence: PlaceEvidence, window: Interval): Interval[] {
  const goOn = coveredTimes(evidence, window, 'taken').filter(({ until }) => until >= window.until);
  return without(
    joined(continuousPeriods(evidence.watches, window)),
    joined([...coveredTimes(evidence, window), ...goOn]),
  );
}
