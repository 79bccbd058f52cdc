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
  const rows = await db.any(sql.type(rowsOf<{ asset_id: number; sweep_id: string; ended_at: Micros }>())`
    with recursive ${locationsAbove(orgId, [...new Set(given.locations)])}, missed as materialized (
      select asset.id as asset_id, asset.location_id, sweep.id as sweep_id, sweep.location_id as root_id, sweep.ended_at,
        sweep.include_descendants
      from unnest(${sql.array(given.ids, 'int4')}, ${sql.array(given.locations, 'int4')},
          ${sql.array(given.since, 'int8')}) as asset (id, location_id, last_seen)
      join sweep_assets swept on swept.org_id = ${orgId} and swept.asset_id = asset.id
        and (swept.expected or swept.missing) and not swept.found and not swept.moved_here
      join sweeps sweep on sweep.org_id = ${orgId} and sweep.id = swept.sweep_id
        and sweep.began_at > time_of_micros(asset.last_seen) and sweep.ended_at <= time_of_micros(${at})
    )
    select distinct on (asset_id) asset_id, sweep_id, micros_of_time(ended_at) as ended_at
    from missed join above using (location_id, root_id)
    where (include_descendants or root_id = location_id) and during @> missed.ended_at
    order by asset_id, missed.ended_at, sweep_id`);
  return new Map(
    rows.map(({ asset_id: id, sweep_id: sweepId, ended_at: endedAt }) => [id, { sweepId, endedAt }]),
  );
}
