import { type Page, type Paging, pageOf, type SortTerm } from '../../../base/page.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { orderBy } from '../../master-data/clauses.ts';
import type { AssetFilters } from '../asset-filters.ts';
import { daysOf, startsOf } from '../days.ts';
import { millisecondsBetween } from '../milliseconds-between.ts';
import type { Window } from '../window.ts';
import { isEmpty } from '../window.ts';
import { type TripPlaces, tripsOf } from './trips.ts';

export const TURN_GROUPS = ['asset', 'day'] as const;

export const TURN_SORT_FIELDS = [
  'asset_external_key',
  'day',
  'count',
  'median_seconds',
  'p90_seconds',
  'max_seconds',
  'not_ended',
] as const;

export interface TurnFilters extends AssetFilters, Paging {
  /** All trips together without it. */
  group_by: (typeof TURN_GROUPS)[number] | undefined;
  time_zone: string;
  sort: readonly SortTerm<(typeof TURN_SORT_FIELDS)[number]>[];
}

export interface TurnRow {
  asset_id: number | null;
  asset_external_key: string | null;
  day: string | null;
  count: number;
  /** In milliseconds, as the others; null without any trip. */
  median: number | null;
  p90: number | null;
  max: number | null;
  not_ended: number;
}

const SORT_COLUMNS = {
  asset_external_key: sql.fragment`asset_external_key`,
  day: sql.fragment`day_number`,
  count: sql.fragment`trips`,
  median_seconds: sql.fragment`median`,
  p90_seconds: sql.fragment`p90`,
  max_seconds: sql.fragment`longest`,
  not_ended: sql.fragment`not_ended`,
};

const NULLABLE = ['asset_external_key', 'day', 'median_seconds', 'p90_seconds', 'max_seconds'] as const;

/** A page of how long trips took, by group. */
export async function readTurns(
  db: OrganizationDatabase,
  window: Window,
  places: TripPlaces,
  filters: TurnFilters,
  signal?: AbortSignal,
): Promise<Page<TurnRow>> {
  const { orgId } = db;
  const { group_by: group } = filters;
  if (isEmpty(window)) {
    return group === undefined ? { rows: [NONE], totalCount: 1 } : { rows: [], totalCount: 0 };
  }
  const days = group === 'day' ? daysOf(window, filters.time_zone) : null;
  const member = {
    asset: filters.include_deleted
      ? sql.fragment`asset_id`
      : sql.fragment`case when not is_deleted then asset_id end`,
    day: sql.fragment`width_bucket(coalesce(reached_at, left_at), ${startsOf(days)})`,
  };
  const order = orderBy(filters.sort, SORT_COLUMNS, sql.fragment`id`, { nullable: NULLABLE });
  const rows = await db
    .listing({ isBrief: false, isWhole: true, signal })
    .any(sql.type(rowsOf<StoredRow & { id: number; total_count: number }>())`
    with grouped as materialized (
      select ${group === undefined ? NO_ID : sql.fragment`member`} as member, count(took) as trips, max(took) as longest, count(*) filter (where took is null) as not_ended,
        percentile_cont(array[0.5, 0.9]) within group (order by took) as percentiles
      from (
        select ${group === undefined ? NO_ID : member[group]} as member,
          ${millisecondsBetween(sql.fragment`left_at`, sql.fragment`reached_at`)} as took
        from (${tripsOf(orgId, window, places, filters)}) trip
      ) value
      ${group === undefined ? sql.fragment`` : sql.fragment`group by member`}
    ),
    named as (
      select coalesce(member, 0) as id, ${group === 'asset' ? sql.fragment`member` : NO_ID} as asset_id,
        asset.external_key as asset_external_key, ${group === 'day' ? sql.fragment`member` : NO_ID} as day_number,
        trips, percentiles[1] as median, percentiles[2] as p90, longest, not_ended
      from grouped
      left join assets asset on ${
        group === 'asset' ? sql.fragment`asset.org_id = ${orgId} and asset.id = member` : sql.fragment`false`
      }
    )
    select counted.total_count, page.*
    from (select count(*) as total_count from grouped) counted
    left join (select * from named order by ${order} limit ${filters.limit} offset ${filters.offset}) page on true
    order by ${order}`);
  const page = pageOf(rows);
  return {
    ...page,
    rows: page.rows.map((row) => ({
      ...row,
      day: row.day_number === null ? null : (days?.names[row.day_number - 1] ?? null),
      count: row.trips,
      max: row.longest,
    })),
  };
}

interface StoredRow extends Omit<TurnRow, 'day' | 'count' | 'max'> {
  day_number: number | null;
  trips: number;
  longest: number | null;
}

const NO_ID = sql.fragment`null::integer`;

const NONE: TurnRow = {
  ...{ asset_id: null, asset_external_key: null, day: null },
  ...{ count: 0, median: null, p90: null, max: null, not_ended: 0 },
};
