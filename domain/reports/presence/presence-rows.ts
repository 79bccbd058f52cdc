import type { Micros } from '../../../base/instant.ts';
import type { Paging, SortTerm } from '../../../base/page.ts';
import { type FragmentSqlToken, type RowQuery, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { allOf, isNext, orderBy } from '../../master-data/clauses.ts';
import { type AssetFilters, namedAssets } from '../asset-filters.ts';
import { type PlaceFilters, placesDuring } from '../places-during.ts';
import { staysIn } from '../stays/stays-in.ts';
import { lastBefore } from '../window.ts';

export const PRESENCE_SORT_FIELDS = ['asset_external_key', 'location_external_key'] as const;

export type WantedAssets = AssetFilters &
  PlaceFilters &
  Paging & {
    include_not_in_effect: boolean;
    sort: readonly SortTerm<(typeof PRESENCE_SORT_FIELDS)[number]>[];
  };

/** An asset, and where it was if it had been seen. */
export interface SeenAsset {
  id: number;
  external_key: string;
  deleted_at: string | null;
  location_id: number | null;
  location_external_key: string | null;
  entered_at: Micros | null;
  /** Null if scans of that time are no longer kept. */
  last_seen: Micros | null;
}

const NULLABLE = ['location_external_key'] as const;

/**
 * A query of a page of assets, and of where they were before an instant; with `total_count`. Leaves out assets created
 * later that had not been seen by then. An asset registered after it was seen counts as in effect since it was seen.
 *
 * @param until the first later instant.
 */
export function presenceRows(
  orgId: number,
  until: Micros,
  filters: WantedAssets,
): RowQuery<SeenAsset & { total_count: number }> {
  const window = lastBefore(until);
  const end = sql.fragment`time_of_micros(${until})`;
  const named = namedAssets(orgId, filters);
  const places = placesDuring(orgId, filters, window);
  const order = (table: string) => {
    const column = (name: string): FragmentSqlToken => sql.fragment`${sql.identifier([table, name])}`;
    return orderBy(
      filters.sort,
      {
        asset_external_key: column('external_key'),
        location_external_key: column('location_external_key'),
      },
      column('id'),
      { nullable: NULLABLE, after: filters.after },
    );
  };
  const where = allOf([
    sql.fragment`asset.org_id = ${orgId}`,
    named === null ? null : sql.fragment`asset.id = any(array(${named}))`,
    places === null ? null : sql.fragment`stay.asset_id is not null`,
    sql.fragment`(stay.asset_id is not null or asset.created_at < ${end})`,
    filters.include_deleted ? null : sql.fragment`(asset.deleted_at is null or asset.deleted_at >= ${end})`,
    filters.include_not_in_effect
      ? null
      : sql.fragment`(asset.valid_from <= greatest(${end}, asset.created_at) and (asset.valid_to is null or asset.valid_to >= ${end}))`,
  ]);
  return sql.type(rowsOf<SeenAsset & { total_count: number }>())`
    with ${staysIn(orgId, { window, known: null, assets: named, places })},
    shown as materialized (
      select asset.id, asset.external_key, asset.deleted_at, stay.location_id, stay.entered_at,
        location.external_key as location_external_key
      from assets asset
        left join stay on stay.asset_id = asset.id
        left join locations location on location.org_id = ${orgId} and location.id = stay.location_id
      where ${where}
    )
    select total.total_count, page.id, page.external_key, page.deleted_at, page.location_id,
      page.location_external_key, micros_of_time(page.entered_at) as entered_at,
      micros_of_time(case
        when page.location_id is null then null
        when position.last_seen < ${end} then position.last_seen
        else last_seen_before(${orgId}, page.id, page.entered_at, ${end}, null)
      end) as last_seen
    from (select count(*) as total_count from shown) total
    left join (
      select * from shown where ${isNext(sql.fragment`id`, filters.after)}
      order by ${order('shown')} limit ${filters.limit} offset ${filters.offset}
    ) page on true
    left join positions position
      on position.org_id = ${orgId} and position.asset_id = page.id and page.location_id is not null
    order by ${order('page')}`;
}
