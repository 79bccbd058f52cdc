import { eachInTurns } from '../../../base/each-in-turns.ts';
import { leastOf } from '../../../base/extremes.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { bigints, doubles, integers } from '../../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { LOOKS_BACK } from '../../presence/coverage/load-places.ts';
import type { Interval } from '../../presence/intervals.ts';
import { loadMissed, loadSweeps, type SweptPlace } from '../../sweeps/load-sweeps.ts';
import type { DatedRule } from '../rules/rule.ts';
import type { MissedSweep, Stay, Unread } from './evidence.ts';
import { boundPieces, MOST_PIECES } from './most-pieces.ts';

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

/** Nothing where no rule asks for it. Between reads that are nearer than every threshold only a sweep can matter. */
export async function loadSightings(
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

/**
 * Times between reads, by asset, as far as raw scans are kept; but how long ago the last of all was is always known.
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
