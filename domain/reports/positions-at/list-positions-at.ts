import type { Micros } from '../../../base/instant.ts';
import { type Page, type Paging, pageOf, type SortTerm } from '../../../base/page.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { type FragmentSqlToken, type RowQuery, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { orderBy } from '../../master-data/clauses.ts';
import { type AssetFilters, namedAssets, namesAssets } from '../asset-filters.ts';
import type { Known } from '../known/known-at.ts';
import { type PlaceFilters, placesDuring } from '../places-during.ts';
import { deletedAt } from '../stays/list-stays.ts';
import { staysIn } from '../stays/stays-in.ts';
import { lastBefore } from '../window.ts';

export type PositionFilters = AssetFilters &
  PlaceFilters &
  Paging & { sort: readonly SortTerm<keyof typeof SORT_COLUMNS>[] };

export interface PositionAtRow {
  id: number;
  external_key: string;
  deleted_at: string | null;
  location_id: number;
  location_external_key: string;
  since: string;
  last_seen: string;
}

const SORT_COLUMNS = {
  asset_external_key: sql.fragment`shown.external_key`,
  location_external_key: sql.fragment`location.external_key`,
  since: sql.fragment`shown.entered_at`,
};

const PAGE_COLUMNS = {
  asset_external_key: sql.fragment`page.external_key`,
  location_external_key: sql.fragment`page.location_external_key`,
  since: sql.fragment`page.entered_at`,
};

/**
 * A page of where assets were before an instant: for each one seen by then, its stay. Assets deleted by then are left
 * out unless asked for.
 *
 * @param until the first later instant.
 */
export async function listPositionsAt(
  db: OrganizationDatabase,
  until: Micros,
  known: Known | null,
  filters: PositionFilters,
  signal?: AbortSignal,
): Promise<Page<PositionAtRow>> {
  const list = db.listing({ isBrief: namesAssets(filters) && known === null, isWhole: true, signal });
  return pageOf(await list.any(positionsAtQuery(db.orgId, until, known, filters)));
}

export function positionsAtQuery(
  orgId: number,
  until: Micros,
  known: Known | null,
  filters: PositionFilters,
): RowQuery<PositionAtRow & { total_count: number }> {
  const window = lastBefore(until);
  const places = placesDuring(orgId, filters, window);
  const end = sql.fragment`time_of_micros(${until})`;
  return sql.type(rowsOf<PositionAtRow & { total_count: number }>())`
    with ${staysIn(orgId, { window, known, assets: namedAssets(orgId, filters), places })},
    shown as materialized (
      select stay.asset_id, stay.location_id, stay.entered_at, asset.external_key, ${deletedAt(known)} as deleted_at
      from stay join assets asset on asset.org_id = ${orgId} and asset.id = stay.asset_id
      ${filters.include_deleted ? sql.fragment`` : sql.fragment`where asset.deleted_at is null or asset.deleted_at >= ${end}`}
    )
    select total.total_count, page.asset_id as id, page.external_key, page.deleted_at, page.location_id,
      page.location_external_key, page.entered_at as since, ${lastSeen(orgId, end, known)} as last_seen
    from (select count(*) as total_count from shown) total
    left join (
      select shown.*, location.external_key as location_external_key
      from shown join locations location on location.org_id = ${orgId} and location.id = shown.location_id
      order by ${orderBy(filters.sort, SORT_COLUMNS, sql.fragment`shown.asset_id`)}
      limit ${filters.limit} offset ${filters.offset}
    ) page on true
    left join positions position on position.org_id = ${orgId} and position.asset_id = page.asset_id
    order by ${orderBy(filters.sort, PAGE_COLUMNS, sql.fragment`page.asset_id`)}`;
}

/**
 * From raw scans while they are kept, else the beginning of the stay; but if an asset was not seen later, its newest
 * scan is known for good. The reception of a dropped scan is unknown: usually within {@link LATE} days.
 */
function lastSeen(orgId: number, end: FragmentSqlToken, known: Known | null): FragmentSqlToken {
  const scanned = (before: FragmentSqlToken) =>
    sql.fragment`last_seen_before(${orgId}, page.asset_id, page.entered_at, ${end}, ${before})`;
  if (known === null) {
    return sql.fragment`case when position.last_seen < ${end} then position.last_seen
      else coalesce(${scanned(sql.fragment`null`)}, page.entered_at) end`;
  }
  const before = sql.fragment`time_of_micros(${known.before})`;
  return sql.fragment`coalesce(
    ${scanned(before)},
    case when position.last_seen < least(${end}, ${before} - make_interval(days => ${LATE}::integer))
      then greatest(position.last_seen, page.entered_at) end,
    page.entered_at)`;
}

const LATE = 30;
