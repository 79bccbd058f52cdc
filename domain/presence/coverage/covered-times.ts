import type { Micros } from '../../../base/instant.ts';
import { type Interval, joined, within, without } from '../intervals.ts';
import type { Listening } from './listening-times.ts';
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
 * When an absence from a location would have been noticed: while it was watched continuously and its enabled antennas
 * listened (all or any), and while somebody swept it. Without an enabled antenna only sweeps cover it. Covered time
 * ends with a reader's last message: a reader that dies right after it did not listen any more. `taken` says whether
 * anybody is taken to listen now. `provable` is proven time, plus what the next messages of readers may prove at the
 * end of the window. The result depends only on evidence and dated settings, not on the order of their arrival.
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
