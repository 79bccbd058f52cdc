import { type Page, type Paging, pageOf, type SortTerm } from '../../../base/page.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import {
  type FragmentSqlToken,
  rowsOf,
  sql,
  type ValueExpression,
} from '../../../db/timescale/queries/sql.ts';
import { POSITION_ON_PLAN } from '../../master-data/assets/queries.ts';
import { liveByKeys, rowById } from '../../master-data/by-id-or-key.ts';
import { allOf, inEffect, isNear, isNext, orderBy, when } from '../../master-data/clauses.ts';
import { countScanned, countScannedAt } from '../../master-data/live-count.ts';
import type { AssetFilters } from '../asset-filters.ts';

export interface AssetLocationFilters extends AssetFilters, Paging {
  location_id?: readonly number[] | undefined;
  location_external_key?: readonly string[] | undefined;
  include_not_in_effect: boolean;
  sort: readonly SortTerm<keyof typeof SORT_COLUMNS>[];
}

export interface AssetLocationRow {
  id: number;
  external_key: string;
  location_id: number | null;
  location_external_key: string | null;
  deleted_at: string | null;
  last_seen: string;
  /** JSON, as the API has it. */
  position: string | null;
}

const SORT_COLUMNS = {
  asset_external_key: sql.fragment`asset.external_key`,
  location_external_key: sql.fragment`location.external_key`,
  asset_last_seen: sql.fragment`position.last_seen`,
};

/** {@link SORT_COLUMNS} of the page. */
const PAGE_COLUMNS = {
  asset_external_key: sql.fragment`page.external_key`,
  location_external_key: sql.fragment`page.location_external_key`,
  asset_last_seen: sql.fragment`page.last_seen`,
};

/** Null for a deleted location, or none. */
const NULLABLE = ['location_external_key'] as const;

const NAMED = sql.fragment`
  join assets asset on asset.org_id = position.org_id and asset.id = position.asset_id
  left join locations location
    on location.org_id = position.org_id and location.id = position.location_id and location.deleted_at is null`;

const POSITIONED = sql.fragment`positions position ${NAMED}`;

/** {@link NAMED} with a look-up for each row by its key, whatever the statistics say. */
function namedOneByOne(orgId: number): FragmentSqlToken {
  return sql.fragment`
  cross join ${rowById('asset', orgId, sql.fragment`position.asset_id`)} asset
  left join ${rowById('location', orgId, sql.fragment`position.location_id`, { live: true })} location on true`;
}

/** A page of the report (contract 4.4). */
export async function listAssetLocations(
  db: OrganizationDatabase,
  filters: AssetLocationFilters,
  signal?: AbortSignal,
): Promise<Page<AssetLocationRow>> {
  const { orgId } = db;
  const { sort, after } = filters;
  const assetId = sql.fragment`position.asset_id`;
  const conditions = atLocations(orgId, filters);
  const narrowing = ofAssets(orgId, filters);
  const where = allOf([
    sql.fragment`position.org_id = ${orgId}`,
    sql.fragment`position.location_id is not null`,
    filters.include_not_in_effect ? null : inEffect('asset'),
    filters.include_deleted ? null : sql.fragment`asset.deleted_at is null`,
    ...conditions,
    ...narrowing,
  ]);
  const isNamed = filters.asset_id !== undefined || filters.asset_external_key !== undefined;
  const named = isNamed ? sql.fragment`positions position ${namedOneByOne(orgId)}` : POSITIONED;
  const isOfLocations = !filters.include_deleted && narrowing.every((condition) => condition === null);
  const isWhole = isOfLocations && conditions.every((condition) => condition === null);
  const total = isWhole
    ? countScanned(orgId, filters.include_not_in_effect)
    : isOfLocations
      ? countScannedAt(orgId, allOf(conditions), filters.include_not_in_effect)
      : sql.fragment`select count(*) as total_count from ${named} where ${where}`;
  const list = (isBrief: boolean, positions: FragmentSqlToken) =>
    db
      .listing({ isBrief, isWhole: !isNamed, signal })
      .any(sql.type(rowsOf<AssetLocationRow & { total_count: number }>())`
      select total.total_count, page.*, ${positionOnPlan(orgId)} as position
      from (${total}) total
      left join (
        select asset.id, asset.external_key,
          location.id as location_id, location.external_key as location_external_key,
          asset.deleted_at, position.last_seen
        from ${positions}
        where ${where} and ${isNext(assetId, after)}
        order by ${orderBy(sort, SORT_COLUMNS, assetId, { nullable: NULLABLE, after })}
        limit ${filters.limit} offset ${filters.offset}
      ) page on true
      order by ${orderBy(sort, PAGE_COLUMNS, sql.fragment`page.id`, { nullable: NULLABLE, after })}`);
  if (isOfLocations && isNear(filters) && isLatestFirst(filters)) {
    const latest = latestPositions(orgId, allOf([sql.fragment`location_id is not null`, ...conditions]));
    for (const positions of isWhole ? [positionsOfLatestScans(orgId), latest] : [latest]) {
      const page = pageOf(await list(isWhole, positions));
      if (page.rows.length === Math.min(filters.limit, Math.max(0, page.totalCount - filters.offset))) {
        return page;
      }
    }
  }
  return pageOf(await list(isNamed, named));
}

/**
 * Looked up for the rows of the page only, and only if the organization has positions on plans: sorting them with all
 * rows took a fifth of the report's time. The `order by` makes the planner use their index.
 */
function positionOnPlan(orgId: number): FragmentSqlToken {
  return sql.fragment`case when (
          select true from positions where org_id = ${orgId} and position_plan_location_id is not null
          order by position_plan_location_id limit 1
        ) then (
          select ${POSITION_ON_PLAN} from positions position
          where position.org_id = ${orgId} and position.asset_id = page.id
        ) end`;
}

function atLocations(orgId: number, filters: AssetLocationFilters) {
  return [
    when(filters.location_id, (ids) => sql.fragment`position.location_id = any(${sql.array(ids, 'int4')})`),
    when(
      filters.location_external_key,
      (keys) => sql.fragment`position.location_id = any(array(
        select id from locations where org_id = ${orgId} and external_key = any(${sql.array(keys, 'text')})))`,
    ),
  ];
}

function ofAssets(orgId: number, filters: AssetLocationFilters) {
  return [
    when(filters.asset_id, (ids) => sql.fragment`position.asset_id = any(${sql.array(ids, 'int4')})`),
    when(filters.asset_external_key, (keys) =>
      filters.include_deleted
        ? sql.fragment`position.asset_id in (
              select id from assets where org_id = ${orgId} and external_key = any(${sql.array(keys, 'text')}))`
        : sql.fragment`position.asset_id = any(array(select id from ${liveByKeys('asset', orgId, keys)} live))`,
    ),
  ];
}

function isLatestFirst({ sort: [first, ...others], after }: AssetLocationFilters): boolean {
  return (
    after === undefined && first?.field === 'asset_last_seen' && first.isDescending && others.length === 0
  );
}

/** Latest scans to read for a first page, before positions: 0.5 ms. */
const SCANS = 1_000;

/**
 * {@link POSITIONED} of the assets scanned last, as far as known: constant cost, however many others there are. If a
 * few assets are read all the time, the latest scans may belong to fewer than a page needs. Sorted, so that only rows
 * on the page are joined.
 */
function positionsOfLatestScans(orgId: number): FragmentSqlToken {
  return sql.fragment`(
      select latest.last_seen, position.org_id, latest.asset_id, position.location_id
      from (
        select * from latest_scanned(${orgId}, ${sql.literalValue(String(SCANS))})
        order by last_seen desc, asset_id offset 0
      ) latest
      cross join lateral (
        select * from positions
        where org_id = ${orgId} and asset_id between latest.asset_id and latest.asset_id
          and last_seen = latest.last_seen
        order by asset_id offset 0
      ) position
    ) position ${namedOneByOne(orgId)}`;
}

const LATEST = 400;

/**
 * {@link POSITIONED} of the positions seen last. An index in this order would not pay: recording updates every scanned
 * position in place, and would take twice the time if an index had to follow (1,000 positions of 20,000 in 67 ms
 * instead of 37). Keeping the latest while reading all positions is quick; joining them all to their assets is not.
 */
function latestPositions(orgId: number, condition: ValueExpression): FragmentSqlToken {
  return sql.fragment`(
      select * from positions position where org_id = ${orgId} and ${condition}
      order by last_seen desc, asset_id limit ${sql.literalValue(String(LATEST))}
    ) position ${namedOneByOne(orgId)}`;
}
