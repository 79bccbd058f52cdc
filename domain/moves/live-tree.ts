import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';

export interface LiveTree {
  /** The last event of the feed that is in it. */
  position: number;
  /** JSON: a list of `[id, parent_id, external_key, name, assets]` in no order. */
  locations: string;
}

/**
 * The live locations with the number of live assets at each, as of a position of the feed: later events applied to it
 * give the counts at any later time. Unsealed changes are left out: their assets count at the earlier location. One
 * statement, hence one snapshot. The database writes the JSON: 10,000 locations and 100,000 assets take 42 ms of
 * PostgreSQL and 6 of Node.js, 480 kB.
 */
export function readLiveTree(db: Connection, orgId: number): Promise<LiveTree> {
  return db.one(sql.type(rowsOf<LiveTree>())`
    with unsealed as materialized (
      select distinct on (asset_id) asset_id, previous_location_id from unsealed_moves
      where org_id = ${orgId} order by asset_id, id, part
    ),
    counted as materialized (
      select case when unsealed.asset_id is null then position.location_id else unsealed.previous_location_id end
          as location_id,
        count(*) as assets
      from positions position
      left join unsealed on unsealed.asset_id = position.asset_id
      where position.org_id = ${orgId} and not exists (
        select from assets asset
        where asset.org_id = ${orgId} and asset.id = position.asset_id and asset.deleted_at is not null
      )
      group by 1
    )
    select coalesce((select head from move_heads where org_id = ${orgId}), 0) as position, (
      select '[' || coalesce(string_agg(
        json_build_array(location.id, location.parent_id, location.external_key, location.name,
          coalesce(counted.assets, 0))::text, ','), '') || ']'
      from locations location
      left join counted on counted.location_id = location.id
      where location.org_id = ${orgId} and location.deleted_at is null
    ) as locations`);
}
