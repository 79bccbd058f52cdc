import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { IS_ON_PLAN } from '../assets/queries.ts';

/** Dots of a plan; of more, the newest. */
export const MOST_DOTS = 2_000;

/** Where on a plan an asset is, in metres from the left and the top. */
export interface Dot {
  asset_id: number;
  external_key: string;
  name: string;
  x: number;
  y: number;
  radius: number;
  observed_at: string;
}

/** The live assets on the plan, the newest first; one more than {@link MOST_DOTS} at most. */
export function readDots(
  db: OrganizationDatabase,
  planLocationId: number,
  signal: AbortSignal,
): Promise<readonly Dot[]> {
  const { orgId } = db;
  return db.listing({ isBrief: true, fromPrimary: true, signal }).any(sql.type(rowsOf<Dot>())`
    select asset.id as asset_id, asset.external_key, asset.name, dot.x, dot.y, dot.radius, dot.observed_at
    from (
      select asset_id, position_x as x, position_y as y, position_radius as radius, position_observed_at as observed_at
      from positions position
      where org_id = ${orgId} and position_plan_location_id = ${planLocationId} and not is_of_deleted
        and ${IS_ON_PLAN}
      order by position_observed_at desc, asset_id limit ${MOST_DOTS + 1}
    ) dot
    join assets asset on asset.org_id = ${orgId} and asset.id = dot.asset_id
    order by dot.observed_at desc, dot.asset_id`);
}
