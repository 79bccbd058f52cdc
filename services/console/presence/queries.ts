import { type Page, type Paging, pageOf } from '../../../base/page.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { FEED_LOOKED_THROUGH, MOST_PASSING } from './schema.ts';

export interface PresentRow {
  id: number;
  external_key: string;
  name: string;
  since: string | null;
  last_seen: string | null;
}

export async function listPresent(
  db: OrganizationDatabase,
  locationId: number,
  { limit, offset }: Paging,
  signal: AbortSignal,
): Promise<Page<PresentRow>> {
  const { orgId } = db;
  const here = sql.fragment`positions position
    join assets asset on asset.org_id = position.org_id and asset.id = position.asset_id
    where position.org_id = ${orgId} and position.location_id = ${locationId} and not position.is_of_deleted`;
  const rows = await db
    .listing({ isBrief: true, signal })
    .any(sql.type(rowsOf<PresentRow & { total_count: number }>())`
    select total.total_count, page.*
    from (select count(*) as total_count from ${here}) total
    left join (
      select asset.id, asset.external_key, asset.name, position.since, position.last_seen from ${here}
      order by position.since desc nulls last, asset.id limit ${limit} offset ${offset}
    ) page on true
    order by page.since desc nulls last, page.id`);
  return pageOf(rows);
}

export interface PassingRow {
  looked_back_to: string | null;
  position: number | null;
  at: string;
  asset_id: number;
  asset_external_key: string;
  asset_name: string;
  location_id: number | null;
  other_id: number | null;
  other_external_key: string | null;
  other_name: string | null;
}

/**
 * Events of the feed that took an asset to a location or away from it. There is no index by location, which recording
 * would pay for with every move: the last events of the organization are looked through.
 */
export function readPassing(
  db: OrganizationDatabase,
  locationId: number,
  signal: AbortSignal,
): Promise<readonly PassingRow[]> {
  const { orgId } = db;
  return db.listing({ isBrief: true, signal }).any(sql.type(rowsOf<PassingRow>())`
    with recent as materialized (
      select move.position, coalesce(move.since, move.recorded_at) as at, move.recorded_at, move.asset_id,
        move.location_id, move.previous_location_id
      from moves move
      where move.org_id = ${orgId} and move.part = 1 and move.position > (
        select head - ${FEED_LOOKED_THROUGH} from move_heads where org_id = ${orgId})
      order by move.position desc
    )
    select (select min(recorded_at) from recent) as looked_back_to, passing.position, passing.at, passing.asset_id,
      asset.external_key as asset_external_key, asset.name as asset_name, passing.location_id,
      other.id as other_id, other.external_key as other_external_key, other.name as other_name
    from (select) always
    left join (
      select * from recent
      where ${locationId} in (location_id, previous_location_id)
        and location_id is distinct from previous_location_id
      order by position desc limit ${MOST_PASSING}
    ) passing on true
    left join assets asset on asset.org_id = ${orgId} and asset.id = passing.asset_id
    left join locations other on other.org_id = ${orgId} and other.id =
      case when passing.location_id = ${locationId} then passing.previous_location_id else passing.location_id end
    order by passing.position desc`);
}
