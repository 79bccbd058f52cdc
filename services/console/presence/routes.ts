import { type Page, type Paging, pageOf } from '../../../base/page.ts';
import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { findLiveById, rowById } from '../../../domain/master-data/by-id-or-key.ts';
import {
  countStates,
  type NotCounted,
  type StateCounts,
} from '../../../domain/reports/presence/count-states.ts';
import { MOST_ASSETS } from '../../../domain/reports/presence/list-presence.ts';
import { listBody } from '../../../platform/http/lists.ts';
import { idInPath } from '../../../platform/http/parameters.ts';
import { found, listed } from '../../../platform/http/success.ts';
import { type ConsoleContext, memberRoute } from '../serving/context.ts';
import { referenceOf } from '../serving/schemas.ts';
import { COUNTS, FEED_LOOKED_THROUGH, MOST_PASSING, PASSING, PRESENT, PRESENT_QUERY } from './schema.ts';

export const OF_LOCATION = {
  params: { location_id: idInPath },
  find: {
    missing: 'Location not found',
    row: ({ context, params }: { context: ConsoleContext; params: { location_id: number } }) =>
      findLiveById(context.db, 'location', params.location_id),
  },
};

const present = memberRoute({
  ...{ method: 'GET', path: '/console/v1/locations/{location_id}/present', operationId: 'listPresent' },
  summary: 'What is at a location, the last to arrive first',
  scope: 'tracking:read',
  query: PRESENT_QUERY,
  ...OF_LOCATION,
  success: listed(PRESENT, 'A page of assets'),
  handle: async ({ context, query, row: id, signal }) =>
    listBody(await listPresent(context.db, id, query, signal()), query, presentView),
});

const arrivals = memberRoute({
  ...{ method: 'GET', path: '/console/v1/locations/{location_id}/arrivals', operationId: 'listArrivals' },
  summary: 'What came to a location or left it lately, the latest first',
  description: 'Of the last events of the whole feed, back to `since`.',
  scope: 'tracking:read',
  ...OF_LOCATION,
  success: found(PASSING, 'Arrivals and departures'),
  handle: async ({ context, row: id, signal }) =>
    passingView(await readPassing(context.db, id, signal()), id),
});

export const presenceRoutes = [present, arrivals];

function presentView({ id, external_key, name, since, last_seen }: PresentRow) {
  return { id, external_key, name, since: wireTimeOrNull(since), last_seen: wireTimeOrNull(last_seen) };
}

function passingView(rows: readonly PassingRow[], locationId: number) {
  return {
    since: wireTimeOrNull(rows[0]?.looked_back_to ?? null),
    moves: rows.flatMap((row) =>
      row.position === null
        ? []
        : {
            position: row.position,
            at: wireTime(row.at),
            asset: referenceOf(row.asset_id, row.asset_external_key, row.asset_name),
            is_arrival: row.location_id === locationId,
            other: referenceOf(row.other_id, row.other_external_key, row.other_name),
          },
    ),
  };
}

interface PresentRow {
  id: number;
  external_key: string;
  name: string;
  since: string | null;
  last_seen: string | null;
}

async function listPresent(
  db: OrganizationDatabase,
  locationId: number,
  { limit, offset }: Paging,
  signal: AbortSignal,
): Promise<Page<PresentRow>> {
  const { orgId } = db;
  const here = sql.fragment`positions
    where org_id = ${orgId} and location_id between ${locationId} and ${locationId} and not is_of_deleted`;
  const rows = await db
    .listing({ isBrief: true, signal })
    .any(sql.type(rowsOf<PresentRow & { total_count: number }>())`
    select total.total_count, page.since, page.last_seen, asset.id, asset.external_key, asset.name
    from (select count(*) as total_count from (select from ${here} order by location_id offset 0) here) total
    left join (
      select * from (select asset_id, since, last_seen from ${here} order by location_id offset 0) here
      order by since desc nulls last, asset_id limit ${limit} offset ${offset}
    ) page on true
    left join ${rowById('asset', orgId, sql.fragment`page.asset_id`)} asset on true
    order by page.since desc nulls last, page.asset_id`);
  return pageOf(rows);
}

interface PassingRow {
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
function readPassing(
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

const counts = memberRoute({
  ...{ method: 'GET', path: '/console/v1/presence', operationId: 'countPresence' },
  summary: 'How many assets are present, overdue, missing, unknown, or were never seen',
  description: `Up to a minute old: everybody who has the console open asks again and again. Not counted beyond ${MOST_ASSETS} assets.`,
  scope: 'tracking:read',
  success: found(COUNTS, 'The counts, or why there are none'),
  handle: async ({ context: { db, parts } }) =>
    countsView(await parts.stateCounts.read(db.orgId, () => countStates(db))),
});

function countsView(counted: StateCounts | NotCounted) {
  return typeof counted === 'string'
    ? { counts: null, missing_from: [], not_counted: counted, most_assets: MOST_ASSETS }
    : {
        ...{ counts: counted.counts, missing_from: [...counted.missingFrom] },
        ...{ not_counted: null, most_assets: MOST_ASSETS },
      };
}

export const presenceCountRoutes = [counts];
