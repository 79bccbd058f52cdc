import { eachInTurns } from '../../../base/each-in-turns.ts';
import { greatestOf, leastOf } from '../../../base/extremes.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { bigints, doubles, integers } from '../../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { LOOKS_BACK, loadEvidence } from '../../presence/coverage/load-places.ts';
import type { Interval } from '../../presence/intervals.ts';
import { loadMissed, loadSweeps, type SweptPlace } from '../../sweeps/load-sweeps.ts';
import { type DatedRule, isOfReadings } from '../rules/rule.ts';
import {
  type AssetEvidence,
  boundPieces,
  type MissedSweep,
  MOST_PIECES,
  type Stay,
  type Unread,
} from './evidence.ts';
import { loadDescribed } from './load-described.ts';
import { loadMeasured, type MeasuredWanted } from './load-measured.ts';
import { loadSubtrees, rootsOf, type Subtrees } from './load-subtrees.ts';
import { Surroundings } from './surroundings.ts';

interface Asked {
  rules: readonly DatedRule[];
  assetIds: readonly number[];
  stays: ReadonlyMap<number, readonly Stay[]>;
  /** The locations of the stays. */
  locationIds: readonly number[];
  /** Of an asset, if not from the beginning of the window on. */
  readsSince: ReadonlyMap<number, Micros>;
}

/** When assets were not read, and the sweeps meanwhile. */
interface Sightings {
  unread: ReadonlyMap<number, readonly Unread[]>;
  missed: ReadonlyMap<number, readonly MissedSweep[]>;
  /** Locations for which the rest of the evidence for coverage must be loaded. */
  locationIds: readonly number[];
  sweeps: readonly SweptPlace[];
  coveredFrom: Micros;
}

/** Which times between reads are wanted of an asset. */
interface UnreadWanted {
  assetId: number;
  /** From the last read before that on. */
  since: Micros;
  /** Only what began by then. */
  begunBy: Micros;
  /** Only gaps of at least this length, or ongoing ones. */
  apart: Micros;
}

/** Assets to ask about at a time. */
export const MOST_ASSETS = 1_000;

export interface LoadedAssets {
  /** In the order asked for, without those that never were. */
  assets: AssetEvidence[];
  around: Surroundings;
}

/**
 * Loads the evidence that decides when rules' conditions held for assets in a window, in a few queries for any number.
 *
 * Evidence reaches back before the window as far as the thresholds of the rules need, coverage for 31 days: so whether a
 * condition holds at an instant of the window is exact, and when a stretch began if that is in the window.
 *
 * @param rules every version, of all rules that are to be asked about.
 * @param assetIds at most {@link MOST_ASSETS}.
 * @param readsSince from when on reads of an asset matter, where that is later than the window begins.
 * @param readings likewise of what its tags measured.
 * @param subtreesOf of locations, as far as rules are about them; asks the database if left out.
 * @throws TooMuchWork
 */
export async function loadAssetEvidence(
  db: Connection,
  orgId: number,
  rules: readonly DatedRule[],
  assetIds: readonly number[],
  window: Interval,
  readsSince: ReadonlyMap<number, Micros> = new Map(),
  readings: ReadonlyMap<number, Omit<MeasuredWanted, 'assetId'>> = new Map(),
  subtreesOf: (locationIds: readonly number[]) => Promise<Subtrees> = (ids) =>
    loadSubtrees(db, orgId, rootsOf(rules), ids),
): Promise<LoadedAssets> {
  const deleted = await loadDeleted(db, orgId, assetIds);
  const known = [...deleted.keys()];
  const stays = await loadStays(db, orgId, known, { ...window, since: window.since - reachOf(rules) });
  const locationIds = locationsOf(stays);
  const subtrees = await subtreesOf(locationIds);
  const asked = { rules, assetIds: known, stays, locationIds, readsSince };
  const sightings = await loadSightings(db, orgId, asked, window);
  const looked = { since: sightings.coveredFrom, until: window.until };
  const places = await loadEvidence(db, orgId, sightings.locationIds, looked, sightings.sweeps);
  const paths = rules.flatMap(({ selection }) => selection.metadata.map(({ path }) => path));
  const described = await loadDescribed(db, orgId, known, paths, window.since - LOOKS_BACK);
  const ofAll = { since: window.since, alerted: new Set<string>() };
  const wanted = known.map((assetId) => ({ assetId, ...(readings.get(assetId) ?? ofAll) }));
  const measured = await loadMeasured(db, orgId, rules, wanted, window.until);
  return {
    assets: known.map((assetId) => ({
      assetId,
      until: deleted.get(assetId) ?? Number.POSITIVE_INFINITY,
      stays: stays.get(assetId) ?? [],
      unread: sightings.unread.get(assetId) ?? [],
      missedBy: sightings.missed.get(assetId) ?? [],
      described: described.get(assetId) ?? new Map(),
      measured: measured.get(assetId) ?? new Map(),
    })),
    around: new Surroundings({ window, coveredFrom: looked.since, subtrees, places }),
  };
}

async function loadDeleted(
  db: Connection,
  orgId: number,
  assetIds: readonly number[],
): Promise<ReadonlyMap<number, Micros | null>> {
  const rows = await db.any(sql.prepared(
    'find-deleted-assets',
    rowsOf<{ id: number; deleted_at: Micros | null }>(),
  )`
    select asset.id, micros_of_time(asset.deleted_at) as deleted_at
    from unnest(${sql.binary(integers(assetIds))}::integer[]) with ordinality as given (id, place)
    join assets asset on asset.org_id = ${orgId} and asset.id = given.id
    order by given.place`);
  return new Map(rows.map((row) => [row.id, row.deleted_at]));
}

/** How long before the window a course of events may have begun whose threshold passes in it. */
function reachOf(rules: readonly DatedRule[]): Micros {
  const ofStays = rules.filter((rule) => rule.kind !== 'overdue' && !isOfReadings(rule));
  const spans = ofStays.map(({ after, thenAfter, hours }) =>
    hours !== null && after !== null ? LOOKS_BACK : (thenAfter ?? after ?? 0),
  );
  return Math.min(LOOKS_BACK, greatestOf([0, ...spans]));
}

function locationsOf(stays: ReadonlyMap<number, readonly Stay[]>): number[] {
  return [...new Set([...stays.values()].flatMap((own) => own.map(({ locationId }) => locationId)))];
}

/**
 * The stays of assets in a time, by asset; the last is infinite. An asset that has not moved since is not looked up in
 * its history, as in reports about stays.
 *
 * @throws TooMuchWork
 */
async function loadStays(
  db: Connection,
  orgId: number,
  assetIds: readonly number[],
  { since, until }: Interval,
): Promise<ReadonlyMap<number, Stay[]>> {
  const begin = sql.fragment`time_of_micros(${since}::bigint)`;
  const ofAsset = sql.fragment`select location_id, observed_at from location_transitions
    where org_id = ${orgId}::integer and asset_id = moved.asset_id and moved.since > ${begin}`;
  const rows = await db.any(sql.prepared(
    'load-stays-of-assets',
    rowsOf<{ asset_id: number; location_id: number; since: Micros }>(),
  )`
    select moved.asset_id, stay.location_id, micros_of_time(stay.observed_at) as since
    from unnest(${sql.binary(integers(assetIds))}::integer[]) as given (id)
    cross join lateral (
      select asset_id, location_id, since from positions
      where org_id = ${orgId}::integer and asset_id = given.id and since is not null offset 0
    ) moved
    cross join lateral (
      select moved.location_id, moved.since as observed_at where moved.since <= ${begin}
      union all
      select * from (${ofAsset} and observed_at <= ${begin} order by observed_at desc limit 1) in_effect
      union all
      select * from (
        ${ofAsset} and observed_at > ${begin} and observed_at < time_of_micros(${until}::bigint) offset 0
      ) entered
    ) stay
    limit ${MOST_PIECES + 1}`);
  boundPieces(rows.length);
  return new Map(
    [...Map.groupBy(rows, ({ asset_id: id }) => id)].map(([id, own]) => {
      const sorted = own.toSorted((a, b) => a.since - b.since);
      return [
        id,
        sorted.map((row, index) => ({
          locationId: row.location_id,
          since: row.since,
          until: sorted[index + 1]?.since ?? Number.POSITIVE_INFINITY,
        })),
      ];
    }),
  );
}

/** Nothing where no rule asks for it. Between reads that are nearer than every threshold only a sweep can matter. */
async function loadSightings(
  db: Connection,
  orgId: number,
  { rules, assetIds, stays, locationIds, readsSince }: Asked,
  window: Interval,
): Promise<Sightings> {
  const overdue = rules.filter(({ kind }) => kind === 'overdue');
  if (overdue.length === 0) {
    const coveredFrom = window.since;
    return { unread: new Map(), missed: new Map(), locationIds: [], sweeps: [], coveredFrom };
  }
  const apart = leastOf(overdue.flatMap(({ after, thenAfter }) => after ?? thenAfter ?? []));
  const long = await loadUnread(
    db,
    orgId,
    assetIds.map((assetId) => ({
      ...{ assetId, since: readsSince.get(assetId) ?? window.since },
      ...{ begunBy: window.until, apart },
    })),
    window.until,
  );
  const first = [...long.values()].reduce(
    (earliest, [unread]) => Math.min(earliest, unread?.since ?? earliest),
    window.since,
  );
  const sweeps = await loadSweeps(db, orgId, locationIds, { since: first, until: window.until });
  const missed = await missedByAssets(db, orgId, sweeps, stays);
  const short = await loadUnread(
    db,
    orgId,
    [...missed].flatMap(([assetId, own]) =>
      own.map(({ since, until }) => ({ assetId, since, begunBy: since, apart: until - since })),
    ),
    window.until,
  );
  const unread = new Map(assetIds.map((id) => [id, merged(long.get(id) ?? [], short.get(id) ?? [])]));
  const coveredFrom = Math.max(first, window.since - LOOKS_BACK);
  return { unread, missed, locationIds, sweeps, coveredFrom };
}

async function missedByAssets(
  db: Connection,
  orgId: number,
  sweeps: readonly SweptPlace[],
  stays: ReadonlyMap<number, readonly Stay[]>,
): Promise<ReadonlyMap<number, MissedSweep[]>> {
  const missed = await loadMissed(
    db,
    orgId,
    sweeps,
    [...stays.keys()].map((assetId) => ({ assetId, since: 0 })),
  );
  return missedAt(sweeps, missed, stays);
}

/**
 * The sweeps that missed an asset at its location; by asset.
 *
 * @param sweeps sorted by end.
 * @throws TooMuchWork
 */
export async function missedAt(
  sweeps: readonly SweptPlace[],
  missed: ReadonlyMap<string, ReadonlySet<number>>,
  stays: ReadonlyMap<number, readonly Stay[]>,
): Promise<ReadonlyMap<number, MissedSweep[]>> {
  const sweepsOf = new Map<number, Set<string>>();
  for (const [sweepId, assetIds] of missed) {
    for (const assetId of assetIds) {
      sweepsOf.set(assetId, (sweepsOf.get(assetId) ?? new Set()).add(sweepId));
    }
  }
  const byLocation = Map.groupBy(sweeps, ({ locationId }) => locationId);
  const found = new Map<number, MissedSweep[]>();
  let count = 0;
  await eachInTurns(stays, ([assetId, own]) => {
    const missedBy = sweepsOf.get(assetId);
    if (missedBy === undefined) {
      return;
    }
    const places = new Set(own.map(({ locationId }) => locationId));
    const ofPlaces = [...places].flatMap((id) =>
      (byLocation.get(id) ?? []).filter(({ sweepId }) => missedBy.has(sweepId)),
    );
    if (ofPlaces.length > 0) {
      count += ofPlaces.length;
      boundPieces(count);
      found.set(
        assetId,
        ofPlaces.toSorted((a, b) => a.until - b.until || (a.sweepId < b.sweepId ? -1 : 1)),
      );
    }
  });
  return found;
}

function merged(one: readonly Unread[], other: readonly Unread[]): Unread[] {
  return [...new Map([...one, ...other].map((unread) => [unread.since, unread])).values()].toSorted(
    (a, b) => a.since - b.since,
  );
}

/**
 * Times between reads, by asset, within the kept raw scans; the time of the last read is always known.
 *
 * @param until reads of then and later do not count.
 * @throws TooMuchWork
 */
async function loadUnread(
  db: Connection,
  orgId: number,
  wanted: readonly UnreadWanted[],
  until: Micros,
): Promise<ReadonlyMap<number, Unread[]>> {
  if (wanted.length === 0) {
    return new Map();
  }
  const micros = (of: (each: UnreadWanted) => Micros) => sql.binary(bigints(wanted.map(of)));
  const seconds = wanted.map(({ apart }) => apart / MICROS_PER_SECOND);
  const rows = await db.any(sql.prepared(
    'load-times-unread',
    rowsOf<{ asset_id: number; since: Micros; until: Micros | null }>(),
  )`
    with wanted as materialized (
      select array_agg(asset_id) as assets, array_agg(time_of_micros(since)) as sinces,
        array_agg(time_of_micros(begun_by)) as begun_by, array_agg(make_interval(secs => apart)) as aparts,
        set_config('tagtrail.org_id', ${String(orgId)}::text, true)::integer as org_id
      from unnest(${sql.binary(integers(wanted.map(({ assetId }) => assetId)))}::integer[],
          ${micros(({ since }) => since)}::bigint[], ${micros(({ begunBy }) => begunBy)}::bigint[],
          ${sql.binary(doubles(seconds))}::float8[])
        as given (asset_id, since, begun_by, apart)
    )
    select apart.asset_id, micros_of_time(apart.since) as since, micros_of_time(apart.until) as until
    from wanted cross join lateral reads_apart(wanted.org_id, wanted.assets, wanted.sinces, wanted.begun_by, wanted.aparts,
      time_of_micros(${until}::bigint), ${MOST_PIECES + 1}::integer) apart`);
  boundPieces(rows.length);
  return new Map(
    [...Map.groupBy(rows, ({ asset_id: id }) => id)].map(([id, own]) => [
      id,
      own
        .map((row) => ({ since: row.since, until: row.until ?? Number.POSITIVE_INFINITY }))
        .toSorted((a, b) => a.since - b.since),
    ]),
  );
}
