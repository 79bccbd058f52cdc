import type { Micros } from '../../../base/instant.ts';
import { type Interval, joined, within, without } from '../intervals.ts';
import type { Listening } from '../listening-times.ts';
import { continuousPeriods, type DatedWatch } from './watches.ts';

/** An enabled antenna at a location. */
export interface AntennaSpan extends Interval {
  readerId: number;
}

/** The facts that decide when a location was covered. */
export interface PlaceEvidence {
  /** In order. */
  watches: readonly DatedWatch[];
  antennas: readonly AntennaSpan[];
  /** When readers listened. */
  listening: ReadonlyMap<number, Listening>;
  /** When people swept it. */
  swept: readonly Interval[];
}

export type CoveredBy = 'proven' | 'taken' | 'goesOn' | 'provable';

/**
 * When something that was at a location would have been noticed: while it was watched continuously and all its enabled
 * antennas listened, or any of them; and while somebody swept it. Without an enabled antenna it is covered by sweeps only.
 *
 * What counts for things to be missed ends with the last message of a reader: one that dies right after it has not looked
 * any more, and nothing tells until it would have said something. Only whether anybody listens just now is told by `taken`.
 * `provable` is what is proven, and what the next messages of readers may prove at the end of the window.
 *
 * A function of evidence that only grows, and of dated settings: whatever the order in which it arrives, it is the same.
 */
export function coveredTimes(
  evidence: PlaceEvidence,
  window: Interval,
  by: CoveredBy = 'proven',
): Interval[] {
  const byReader = [...Map.groupBy(evidence.antennas, ({ readerId }) => readerId)].map(
    ([readerId, spans]) => ({
      enabled: joined(spans),
      listening: listeningBy(by, evidence.listening.get(readerId), window.until),
    }),
  );
  const swept = joined(evidence.swept);
  const periods = continuousPeriods(evidence.watches, window);
  const ofCoverage = {
    any: () => joined(byReader.flatMap(({ enabled, listening }) => within(enabled, listening))),
    all: () =>
      without(
        joined(byReader.flatMap(({ enabled }) => enabled)),
        joined(byReader.flatMap(({ enabled, listening }) => without(enabled, listening))),
      ),
  };
  return joined(
    (['any', 'all'] as const).flatMap((coverage) => {
      const own = periods.filter((period) => period.coverage === coverage);
      return own.length === 0 ? [] : within(own, joined([...ofCoverage[coverage](), ...swept]));
    }),
  );
}

function listeningBy(by: CoveredBy, listening: Listening | undefined, now: Micros): readonly Interval[] {
  const { proven = [], taken = [], goesOn = taken } = listening ?? {};
  return by === 'provable'
    ? joined([...proven, ...taken.filter(({ until }) => until >= now)])
    : { proven, taken, goesOn }[by];
}
