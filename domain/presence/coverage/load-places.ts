import { eachInTurns } from '../../../base/each-in-turns.ts';
import { MICROS_PER_DAY, MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { EXPECTED } from '../expectations.ts';
import type { Interval } from '../intervals.ts';
import { listeningOf } from '../listening-times.ts';
import { loadListening } from '../load-listening.ts';
import type { PlaceEvidence } from './covered-times.ts';
import { loadAntennas } from './load-antennas.ts';
import { loadWatches } from './load-watches.ts';
import { PlacePresence } from './state-of.ts';
import { continuousPeriods } from './watches.ts';

/** Coverage is looked at for so long: what was not read for longer was not read for so long at least. */
export const LOOKS_BACK: Micros = 31 * MICROS_PER_DAY;

const LONGEST: Micros = EXPECTED.most * MICROS_PER_SECOND;

/** Of a window, the part in which coverage is looked at. */
export function lookedAt({ since, until }: Interval): Interval {
  return { since: Math.max(since, until - LOOKS_BACK), until };
}

/**
 * What the states of assets at locations follow from, as {@link loadEvidence} looks. When one was covered is derived whenever
 * it is asked for: of 9,600 whose readers were heard 900 times apart each, all at once took 1.8 GB.
 *
 * @param window from when the first of the assets was read; its end is after every instant asked about.
 */
export async function loadPlaces(
  db: Connection,
  orgId: number,
  locationIds: readonly number[],
  window: Interval,
  sweeps: readonly SweptPlace[],
): Promise<(locationId: number) => PlacePresence | null> {
  const looked = lookedAt(window);
  const evidence = await loadEvidence(db, orgId, locationIds, looked, sweeps);
  return (id) => {
    const own = evidence.get(id);
    return own === undefined ? null : new PlacePresence(own, looked);
  };
}

/**
 * What decides when locations were covered, by location; what readers heard is read only of locations that were watched
 * continuously.
 *
 * @throws TooMuchWork
 */
export async function loadEvidence(
  db: Connection,
  orgId: number,
  locationIds: readonly number[],
  looked: Interval,
  sweeps: readonly SweptPlace[],
): Promise<ReadonlyMap<number, PlaceEvidence>> {
  if (locationIds.length === 0) {
    return new Map();
  }
  const watches = await loadWatches(db, orgId, locationIds, looked.until);
  const continuous = locationIds.filter((id) => continuousPeriods(watches.get(id) ?? [], looked).length > 0);
  const antennas = await loadAntennas(db, orgId, continuous, looked);
  const readerIds = [...new Set([...antennas.values()].flat().map(({ readerId }) => readerId))];
  // The next message proves what was before it.
  const heard = { since: looked.since, until: looked.until + LONGEST };
  const evidence = await loadListening(db, orgId, readerIds, heard);
  const listening = new Map(await eachInTurns(evidence, ([id, own]) => [id, listeningOf(own)] as const));
  const swept = Map.groupBy(sweeps, ({ locationId }) => locationId);
  return new Map(
    locationIds.map((id) => [
      id,
      {
        watches: watches.get(id) ?? [],
        antennas: antennas.get(id) ?? [],
        listening,
        swept: swept.get(id) ?? [],
      },
    ]),
  );
}

type SweptPlace = Interval & { locationId: number };
