import { type Page, type Paging, pageOf, type SortTerm } from '../../../base/page.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { type FragmentSqlToken, type RowQuery, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { orderBy } from '../../master-data/clauses.ts';
import { type AssetFilters, namedAssets, namesAssets } from '../asset-filters.ts';
import type { Known } from '../known/known-at.ts';
import { type PlaceFilters, placesDuring } from '../places-during.ts';
import { isEmpty, rangeOf, type Window } from '../window.ts';
import { leftAt, staysIn } from './stays-in.ts';

export type StayFilters = AssetFilters &
  PlaceFilters &
  Paging & { sort: readonly SortTerm<keyof typeof SORT_COLUMNS>[] };

export interface StayRow {
  id: number;
  external_key: string;
  deleted_at: string | null;
  location_id: number;
  location_external_key: string;
  entered_at: string;
  left_at: string | null;
  milliseconds: number;
  began_before: boolean;
  goes_on_after: boolean;
}

const SORT_COLUMNS = {
  entered_at: sql.fragment`shown.entered_at`,
  asset_external_key: sql.fragment`shown.external_key`,
  location_external_key: sql.fragment`location.external_key`,
};

const PAGE_COLUMNS = {
  entered_at: sql.fragment`page.entered_at`,
  asset_external_key: sql.fragment`page.external_key`,
  location_external_key: sql.fragment`page.location_external_key`,
};

/**
 * A page of the stays that overlap a window, as histories are or were known. A stay ends at the latest when its asset is
 * deleted; at places that belong to a subtree for a part of the window, it counts for that part.
 */
export async function listStays(
  db: OrganizationDatabase,
  window: Window,
  known: Known | null,
  filters: StayFilters,
  signal?: AbortSignal,
): Promise<Page<StayRow>> {
  if (isEmpty(window)) {
    return { rows: [], totalCount: 0 };
  }
  const list = db.listing({ isBrief: namesAssets(filters) && known === null, isWhole: true, signal });
  return pageOf(await list.any(staysQuery(db.orgId, window, known, filters)));
}

/** @param window not empty. */
export function staysQuery(
  orgId: number,
  window: Window,
  known: Known | null,
  filters: StayFilters,
): RowQuery<StayRow & { total_count: number }> {
  const places = placesDuring(orgId, filters, window);
  const begin = sql.fragment`time_of_micros(${window.from})`;
  const end = sql.fragment`time_of_micros(${window.to})`;
  return sql.type(rowsOf<StayRow & { total_count: number }>())`
    with ${staysIn(orgId, { window, known, assets: namedAssets(orgId, filters), places })},
    shown as materialized (
      select stay.*, asset.external_key, ${deletedAt(known)} as deleted_at
        ${places === null ? sql.fragment`` : sql.fragment`, place.during`}
      from stay
        join assets asset on asset.org_id = ${orgId} and asset.id = stay.asset_id
        ${places === null ? sql.fragment`` : sql.fragment`join place on place.location_id = stay.location_id`}
      where (asset.deleted_at is null or asset.deleted_at > greatest(stay.entered_at, ${begin}))
        ${filters.include_deleted ? sql.fragment`` : sql.fragment`and (asset.deleted_at is null or asset.deleted_at > ${end})`}
        ${places === null ? sql.fragment`` : countsInSubtree(orgId, window)}
    )
    select total.total_count, page.asset_id as id, page.external_key, page.deleted_at, page.location_id,
      page.location_external_key, page.entered_at, ended.left_at,
      page.entered_at < ${begin} as began_before, ended.left_at is null or ended.left_at > ${end} as goes_on_after,
      ${places === null ? millisecondsOf(sql.fragment`spent.during`) : millisecondsWithin()} as milliseconds
    from (select count(*) as total_count from shown) total
    left join (
      select shown.*, location.external_key as location_external_key
      from shown join locations location on location.org_id = ${orgId} and location.id = shown.location_id
      order by ${orderBy(filters.sort, SORT_COLUMNS, sql.fragment`shown.entered_at, shown.asset_id`)}
      limit ${filters.limit} offset ${filters.offset}
    ) page on true
    left join lateral (select least(${leftAt(orgId, 'page')}, page.deleted_at) as left_at offset 0) ended
      on page.asset_id is not null
    left join lateral (
      select tstzrange(greatest(page.entered_at, ${begin}), least(ended.left_at, ${end})) as during
    ) spent on page.asset_id is not null
    order by ${orderBy(filters.sort, PAGE_COLUMNS, sql.fragment`page.entered_at, page.asset_id`)}`;
}

/** As it was known. */
export function deletedAt(known: Known | null): FragmentSqlToken {
  return known === null
    ? sql.fragment`asset.deleted_at`
    : sql.fragment`case when asset.deleted_at < time_of_micros(${known.before}) then asset.deleted_at end`;
}

/** Most places belong to the subtree all the time, so that nobody asks when the stay ended. */
function countsInSubtree(orgId: number, window: Window): FragmentSqlToken {
  const begin = sql.fragment`time_of_micros(${window.from})`;
  const end = sql.fragment`time_of_micros(${window.to})`;
  return sql.fragment`and case when place.during @> ${rangeOf(window)} then true else place.during && tstzrange(
    greatest(stay.entered_at, ${begin}), least(${leftAt(orgId, 'stay')}, asset.deleted_at, ${end})) end`;
}

function millisecondsWithin(): FragmentSqlToken {
  return sql.fragment`(
    select coalesce(sum(${millisecondsOf(sql.fragment`part`)}), 0)::int8
    from unnest(page.during * tstzmultirange(spent.during)) part)`;
}

/** Between bounds that are cut to milliseconds. */
function millisecondsOf(range: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`(
    micros_of_time(upper(${range})) / 1000 - micros_of_time(lower(${range})) / 1000)`;
}
