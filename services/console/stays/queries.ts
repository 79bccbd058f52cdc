import { type JsonSchema, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import { toDatabase } from '../../../base/timestamps.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { type TimeBound, timeBound } from '../../../platform/http/parameters.ts';
import type { Query } from '../../../platform/http/query.ts';
import { STAY } from '../serving/reference.ts';
import { FLAG_SCHEMA, listOf, objectOf } from '../serving/schemas.ts';

/** More than a picture can show. */
export const MOST_STAYS = 2_000;

export const STAYS: JsonSchema = objectOf({
  first_seen: nullableSchema(TIME_SCHEMA),
  last_seen: nullableSchema(TIME_SCHEMA),
  stays: listOf(STAY),
  is_cut: FLAG_SCHEMA,
});

export const STAYS_QUERY = {
  parameters: { from: timeBound, to: timeBound },
} as const satisfies Query;

export interface StaysRow {
  first_seen: string | null;
  last_seen: string | null;
  arrived_at: string;
  left_at: string | null;
  id: number | null;
  external_key: string;
  name: string;
}

/**
 * The stays of an asset that overlap a range, newest first and one more than are shown at most; and when it was seen at
 * all. Each is an index look-up, or a stretch of the index.
 */
export function readStays(
  db: OrganizationDatabase,
  assetId: number,
  { from, to }: { from?: TimeBound | undefined; to?: TimeBound | undefined },
  signal: AbortSignal,
): Promise<readonly StaysRow[]> {
  const { orgId } = db;
  const own = sql.fragment`org_id = ${orgId} and asset_id = ${assetId}`;
  const first = from === undefined ? '-infinity' : toDatabase(from.instant);
  const last = to === undefined ? 'infinity' : toDatabase(to.instant);
  return db.listing({ isBrief: true, signal }).any(sql.type(rowsOf<StaysRow>())`
    select seen.first_seen, seen.last_seen, stay.arrived_at, stay.left_at, location.id, location.external_key, location.name
    from (
      select (select observed_at from location_transitions where ${own} order by observed_at limit 1) as first_seen,
        (select last_seen from positions where ${own}) as last_seen,
        coalesce((
          select observed_at from location_transitions where ${own} and observed_at <= ${first}::timestamptz
          order by observed_at desc limit 1), '-infinity') as from_stay,
        (select observed_at from location_transitions where ${own} and observed_at > ${last}::timestamptz
          order by observed_at limit 1) as after_stay
    ) seen
    left join lateral (
      select near.location_id, near.observed_at as arrived_at,
        coalesce(lag(near.observed_at) over (order by near.observed_at desc), seen.after_stay) as left_at
      from location_transitions near
      where near.org_id = ${orgId} and near.asset_id = ${assetId}
        and near.observed_at >= seen.from_stay and near.observed_at <= ${last}::timestamptz
      order by near.observed_at desc limit ${MOST_STAYS + 1}
    ) stay on true
    left join locations location on location.org_id = ${orgId} and location.id = stay.location_id
    order by stay.arrived_at desc`);
}
