import { type JsonSchema, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import { toDatabase, wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { findById } from '../../../domain/master-data/by-id-or-key.ts';
import { idInPath, type TimeBound, timeBound } from '../../../platform/http/parameters.ts';
import type { Query } from '../../../platform/http/query.ts';
import { found } from '../../../platform/http/success.ts';
import { type ConsoleContext, memberRoute } from '../serving/context.ts';
import { FLAG_SCHEMA, listOf, objectOf, STAY } from '../serving/schemas.ts';

/** More than a picture can show. */
export const MOST_STAYS = 2_000;

const STAYS: JsonSchema = objectOf({
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

/** Retired ones too: their history stays. */
export const OF_ASSET = {
  params: { asset_id: idInPath },
  find: {
    missing: 'Asset not found',
    row: ({ context, params }: { context: ConsoleContext; params: { asset_id: number } }) =>
      findById(context.db, 'asset', params.asset_id),
  },
};

const list = memberRoute({
  ...{ method: 'GET', path: '/console/v1/assets/{asset_id}/stays', operationId: 'listStays' },
  summary: 'Where an asset was, stay by stay',
  description: 'Those that overlap the range, oldest first; the newest of them if they are too many.',
  scope: 'tracking:read',
  query: STAYS_QUERY,
  ...OF_ASSET,
  success: found(STAYS, 'The stays'),
  handle: async ({ context, query, row: assetId, signal }) =>
    staysView(await readStays(context.db, assetId, query, signal())),
});

export const stayRoutes = [list];

function staysView(rows: readonly StaysRow[]) {
  const stays = rows.flatMap(({ id, external_key, name, arrived_at, left_at }) =>
    id === null
      ? []
      : {
          location: { id, external_key, name },
          arrived_at: wireTime(arrived_at),
          left_at: wireTimeOrNull(left_at),
        },
  );
  return {
    first_seen: wireTimeOrNull(rows[0]?.first_seen ?? null),
    last_seen: wireTimeOrNull(rows[0]?.last_seen ?? null),
    stays: stays.slice(0, MOST_STAYS).toReversed(),
    is_cut: stays.length > MOST_STAYS,
  };
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
