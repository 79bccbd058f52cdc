import { sql } from 'slonik';
import type { OrganizationDatabase } from '../../../db/timescale/organization-door.ts';
import { rowsOf } from '../../../db/timescale/row-queries.ts';
import { type Page, pageOf } from '../../shared/http/lists.ts';
import { allOf, inEffect, orderBy, when } from '../sql.ts';
import type { AssetLocationFilters } from './schema.ts';
import type { AssetLocationRow } from './view.ts';

const SORT_COLUMNS = {
  asset_external_key: sql.fragment`asset.external_key`,
  location_external_key: sql.fragment`location.external_key`,
  asset_last_seen: sql.fragment`position.last_seen`,
};

/** The same, of the page. */
const PAGE_COLUMNS = {
  asset_external_key: sql.fragment`page.external_key`,
  location_external_key: sql.fragment`page.location_external_key`,
  asset_last_seen: sql.fragment`page.last_seen`,
};

/** What a deleted location, or none, leaves empty. */
const NULLABLE = ['location_external_key'] as const;

/** Scanned assets and where they are; a deleted location is no place any more. */
const POSITIONED = sql.fragment`positions position
  join assets asset on asset.org_id = position.org_id and asset.id = position.asset_id
  left join locations location
    on location.org_id = position.org_id and location.id = position.location_id and location.deleted_at is null`;

/** A page of the assets that were ever scanned, by default of those in effect (interface section 4.4). */
export async function listAssetLocations(
  db: OrganizationDatabase,
  filters: AssetLocationFilters,
  signal?: AbortSignal,
): Promise<Page<AssetLocationRow>> {
  const { orgId } = db;
  const isBrief = filters.asset_id !== undefined || filters.asset_external_key !== undefined;
  const order = orderBy(filters.sort, SORT_COLUMNS, sql.fragment`asset.id`, NULLABLE);
  const where = allOf([
    sql.fragment`position.org_id = ${orgId}`,
    sql.fragment`position.last_seen is not null`,
    filters.include_not_in_effect ? null : inEffect('asset'),
    filters.include_deleted ? null : sql.fragment`asset.deleted_at is null`,
    when(filters.asset_id, (ids) => sql.fragment`position.asset_id = any(${sql.array(ids, 'int4')})`),
    when(
      filters.asset_external_key,
      (keys) => sql.fragment`asset.external_key = any(${sql.array(keys, 'text')})`,
    ),
    when(filters.location_id, (ids) => sql.fragment`position.location_id = any(${sql.array(ids, 'int4')})`),
    when(
      filters.location_external_key,
      (keys) => sql.fragment`position.location_id in (
        select id from locations where org_id = ${orgId} and external_key = any(${sql.array(keys, 'text')}))`,
    ),
  ]);
  const rows = await db
    .listing({ isBrief, signal })
    .any(sql.type(rowsOf<AssetLocationRow & { total_count: number }>())`
    select total.total_count, page.*
    from (select count(*) as total_count from ${POSITIONED} where ${where}) total
    left join (
      select asset.id, asset.external_key,
        location.id as location_id, location.external_key as location_external_key,
        asset.deleted_at, position.last_seen
      from ${POSITIONED}
      where ${where}
      order by ${order}
      limit ${filters.limit} offset ${filters.offset}
    ) page on true
    order by ${orderBy(filters.sort, PAGE_COLUMNS, sql.fragment`page.id`, NULLABLE)}`);
  return pageOf(rows);
}
