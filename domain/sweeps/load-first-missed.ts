import type { Micros } from '../../base/instant.ts';
import { integers, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { loadDatedTree } from '../presence/dated-tree.ts';
import type { Interval } from '../presence/intervals.ts';

/** An asset, and where it was read last. */
interface LastRead {
  assetId: number;
  locationId: number;
  lastSeen: Micros;
}

/**
 * For assets that a sweep of their location missed after their last read and before an instant: the first of these
 * sweeps to end, however long ago. By asset.
 *
 * @throws TooMuchWork For such an asset, the sweeps of its location are tried in order, usually only the first. If
 * daily sweeps missed 1,000 assets for a year, all would be 365,000 rows.
 */
export async function loadFirstMissed(
  db: Connection,
  orgId: number,
  assets: readonly LastRead[],
  at: Micros,
): Promise<ReadonlyMap<number, { sweepId: string; endedAt: Micros }>> {
  const isMissed = sql.fragment`swept.org_id = ${orgId} and swept.asset_id = asset.id
    and (swept.expected or swept.missing) and not swept.found and not swept.moved_here`;
  const missed = await db.any(sql.type(rowsOf<{ id: number }>())`
    select asset.id from unnest(${sql.array(
      assets.map(({ assetId }) => assetId),
      'int4',
    )}) as asset (id)
    where exists (select from sweep_assets swept where ${isMissed} offset 0)`);
  const missedIds = new Set(missed.map(({ id }) => id));
  const asked = assets.filter(({ assetId }) => missedIds.has(assetId));
  const above = await sweptAbove(db, orgId, [...new Set(asked.map(({ locationId }) => locationId))]);
  if (above.length === 0) {
    return new Map();
  }
  const given = {
    ids: asked.map(({ assetId }) => assetId),
    locations: asked.map(({ locationId }) => locationId),
    lastSeen: asked.map(({ lastSeen }) => lastSeen),
  };
  const rows = await db.any(sql.type(rowsOf<{ asset_id: number; sweep_id: string; ended_at: Micros }>())`
    select distinct on (asset.id) asset.id as asset_id, first.id as sweep_id, micros_of_time(first.ended_at) as ended_at
    from unnest(${sql.array(given.ids, 'int4')}, ${sql.array(given.locations, 'int4')},
        ${sql.array(given.lastSeen, 'int8')}) as asset (id, location_id, last_seen)
    join unnest(${integersOf(above, ({ locationId }) => locationId)}::integer[],
        ${integersOf(above, ({ rootId }) => rootId)}::integer[],
        ${timesOf(above, ({ since }) => since)}::timestamptz[], ${timesOf(above, ({ until }) => until)}::timestamptz[])
      as above (location_id, root_id, since, until) on above.location_id = asset.location_id
    cross join lateral (
      select sweep.id, sweep.ended_at from sweeps sweep
      where sweep.org_id = ${orgId} and sweep.location_id = above.root_id
        and (sweep.include_descendants or above.root_id = above.location_id)
        and sweep.ended_at > time_of_micros(asset.last_seen) and sweep.ended_at <= time_of_micros(${at})
        and sweep.began_at > time_of_micros(asset.last_seen)
        and (above.since is null or sweep.ended_at >= above.since)
        and (above.until is null or sweep.ended_at < above.until)
        and exists (
          select from sweep_assets swept
          where swept.sweep_id = sweep.id and ${isMissed} offset 0
        )
      order by sweep.ended_at, sweep.id limit 1
    ) first
    order by asset.id, first.ended_at, first.id`);
  return new Map(
    rows.map(({ asset_id: id, sweep_id: sweepId, ended_at: endedAt }) => [id, { sweepId, endedAt }]),
  );
}

interface SweptAbove extends Interval {
  locationId: number;
  rootId: number;
}

/** When locations were below swept ones. */
async function sweptAbove(
  db: Connection,
  orgId: number,
  locationIds: readonly number[],
): Promise<SweptAbove[]> {
  if (locationIds.length === 0) {
    return [];
  }
  const tree = await loadDatedTree(db, orgId, locationIds);
  const swept = await db.any(sql.type(rowsOf<{ id: number }>())`
    select given.id from unnest(${sql.array(tree.locationIds, 'int4')}) as given (id)
    where exists (select from sweeps where org_id = ${orgId} and location_id = given.id offset 0)`);
  const below = await tree.below(
    locationIds,
    swept.map(({ id }) => id),
  );
  return below.flatMap(({ locationId, rootId, during }) =>
    during.map((each) => ({ locationId, rootId, ...each })),
  );
}

const integersOf = (above: readonly SweptAbove[], pick: (each: SweptAbove) => number) =>
  sql.binary(integers(above.map(pick)));

/** Null for a time without beginning or end. */
const timesOf = (above: readonly SweptAbove[], pick: (each: SweptAbove) => Micros) =>
  sql.binary(timestamps(above.map(pick).map((each) => (Number.isFinite(each) ? each : null))));
