import { type Page, type Paging, pageOf, type SortTerm } from '../../../base/page.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { type FragmentSqlToken, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { allOf, isNear, orderBy } from '../../master-data/clauses.ts';
import { type AssetFilters, namedAssets } from '../asset-filters.ts';
import { type PlaceFilters, placesDuring } from '../places-during.ts';
import { isEmpty, type Window } from '../window.ts';

export const SWEEP_SORT_FIELDS = ['ended_at', 'location_external_key'] as const;

export interface SweepFilters extends AssetFilters, PlaceFilters, Paging {
  sort: readonly SortTerm<(typeof SWEEP_SORT_FIELDS)[number]>[];
}

export interface SweepRow {
  id: string;
  location_id: number;
  location_external_key: string;
  handheld_id: number;
  handheld_name: string;
  began_at: string;
  ended_at: string;
  received_at: string;
  include_descendants: boolean;
  expected: number;
  found: number;
  moved_here: number;
  missing: number;
  unknown: number;
  accuracy: number | null;
}

const SORT_COLUMNS = {
  ended_at: sql.fragment`sweep.ended_at`,
  location_external_key: sql.fragment`location.external_key`,
};

/** {@link SORT_COLUMNS} of the page. */
const PAGE_COLUMNS = {
  ended_at: sql.fragment`page.ended_at`,
  location_external_key: sql.fragment`page.location_external_key`,
};

/** A page of the sweeps that ended in a window. */
export async function listSweeps(
  db: OrganizationDatabase,
  window: Window,
  filters: SweepFilters,
  signal?: AbortSignal,
): Promise<Page<SweepRow>> {
  if (isEmpty(window)) {
    return { rows: [], totalCount: 0 };
  }
  const { orgId } = db;
  const swept = sql.fragment`from sweeps sweep
    join locations location on location.org_id = sweep.org_id and location.id = sweep.location_id
    where ${allOf([
      sql.fragment`sweep.org_id = ${orgId}`,
      sql.fragment`sweep.ended_at >= time_of_micros(${window.from})`,
      sql.fragment`sweep.ended_at < time_of_micros(${window.to})`,
      isAtPlace(orgId, window, filters),
      hasAsset(orgId, window, filters),
    ])}`;
  const rows = await db
    .listing({ isBrief: isNear(filters), signal })
    .any(sql.type(rowsOf<SweepRow & { total_count: number }>())`
    select total.total_count, page.*, handheld.name as handheld_name, ${ACCURACY} as accuracy
    from (select count(*) as total_count ${swept}) total
    left join (
      select sweep.org_id, sweep.id, sweep.location_id, location.external_key as location_external_key,
        sweep.handheld_id, sweep.began_at, sweep.ended_at, sweep.received_at, sweep.include_descendants,
        sweep.expected, sweep.found, sweep.moved_here, sweep.missing, sweep.unknown
      ${swept}
      order by ${orderBy(filters.sort, SORT_COLUMNS, sql.fragment`sweep.id`)}
      limit ${filters.limit} offset ${filters.offset}
    ) page on true
    left join handhelds handheld on handheld.org_id = page.org_id and handheld.id = page.handheld_id
    order by ${orderBy(filters.sort, PAGE_COLUMNS, sql.fragment`page.id`)}`);
  return pageOf(rows);
}

/**
 * The share of the expected assets that were found: an asset may also be found without having been expected. Counted only
 * where any was.
 */
const ACCURACY = sql.fragment`case when page.expected > 0 then (
    select count(*) from sweep_assets swept
    where swept.org_id = page.org_id and swept.sweep_id = page.id and swept.expected and swept.found
  )::float8 / page.expected end`;

function isAtPlace(orgId: number, window: Window, filters: SweepFilters): FragmentSqlToken | null {
  const places = placesDuring(orgId, filters, window);
  return places === null
    ? null
    : sql.fragment`exists (
        select from (${places}) place
        where place.location_id = sweep.location_id and place.during @> sweep.ended_at)`;
}

/** In any of its lists. An asset deleted by the end of the window is found on request only. */
function hasAsset(orgId: number, { to }: Window, filters: SweepFilters): FragmentSqlToken | null {
  const named = namedAssets(orgId, filters);
  return named === null
    ? null
    : sql.fragment`exists (
        select from assets asset
        join sweep_assets swept
          on swept.org_id = asset.org_id and swept.sweep_id = sweep.id and swept.asset_id = asset.id
        where ${allOf([
          sql.fragment`asset.org_id = ${orgId}`,
          sql.fragment`asset.id in (${named})`,
          filters.include_deleted
            ? null
            : sql.fragment`(asset.deleted_at is null or asset.deleted_at > time_of_micros(${to}))`,
        ])})`;
}
