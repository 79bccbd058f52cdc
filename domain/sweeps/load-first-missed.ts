import type { Micros } from '../../base/instant.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { locationsAbove } from './locations-above.ts';

/** An asset, and where it was read last. */
interface LastRead {
  assetId: number;
  locationId: number;
  lastSeen: Micros;
}

/**
 * Of assets that sweeps of their locations expected and did not find, which began after they were read last and ended by an
 * instant, the first to end; however long ago. By asset.
 *
 * Of an asset that any sweep missed, those of its location are tried in order until one did, mostly the first. Of 1,000 that
 * one of every day missed for a year all would be 365,000 rows.
 */
export async function loadFirstMissed(
  db: Connection,
  orgId: number,
  assets: readonly LastRead[],
  at: Micros,
): Promise<ReadonlyMap<number, { sweepId: string; endedAt: Micros }>> {
  if (assets.length === 0) {
    return new Map();
  }
  const given = {
    ids: assets.map(({ assetId }) => assetId),
    locations: assets.map(({ locationId }) => locationId),
    since: assets.map(({ lastSeen }) => lastSeen),
  };
  const isMissed = sql.fragment`swept.org_id = ${orgId} and swept.asset_id = asset.id
    and (swept.expected or swept.missing) and not swept.found and not swept.moved_here`;
  const rows = await db.any(sql.type(rowsOf<{ asset_id: number; sweep_id: string; ended_at: Micros }>())`
    with recursive ${locationsAbove(orgId, [...new Set(given.locations)])}
    select distinct on (asset.id) asset.id as asset_id, first.id as sweep_id, micros_of_time(first.ended_at) as ended_at
    from unnest(${sql.array(given.ids, 'int4')}, ${sql.array(given.locations, 'int4')},
        ${sql.array(given.since, 'int8')}) as asset (id, location_id, last_seen)
    join above on above.location_id = asset.location_id
    cross join lateral (
      select sweep.id, sweep.ended_at from sweeps sweep
      where sweep.org_id = ${orgId} and sweep.location_id = above.root_id
        and (sweep.include_descendants or above.root_id = above.location_id)
        and sweep.ended_at > time_of_micros(asset.last_seen) and sweep.ended_at <= time_of_micros(${at})
        and sweep.began_at > time_of_micros(asset.last_seen) and above.during @> sweep.ended_at
        and exists (
          select from sweep_assets swept
          where swept.sweep_id = sweep.id and ${isMissed} offset 0
        )
      order by sweep.ended_at, sweep.id limit 1
    ) first
    where exists (select from sweep_assets swept where ${isMissed} offset 0)
    order by asset.id, first.ended_at, first.id`);
  return new Map(
    rows.map(({ asset_id: id, sweep_id: sweepId, ended_at: endedAt }) => [id, { sweepId, endedAt }]),
  );
}
