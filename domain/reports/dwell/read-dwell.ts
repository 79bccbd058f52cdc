import { type Page, type Paging, pageOf, type SortTerm } from '../../../base/page.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import {
  type FragmentSqlToken,
  type RowQuery,
  rowsOf,
  sql,
  type ValueExpression,
} from '../../../db/timescale/queries/sql.ts';
import { allOf, orderBy, when } from '../../master-data/clauses.ts';
import { type AssetFilters, namedAssets } from '../asset-filters.ts';
import { type Days, daysOf, startsOf } from '../days.ts';
import type { Known } from '../known/known-at.ts';
import { knownStays } from '../known/known-stays.ts';
import { millisecondsBetween } from '../milliseconds-between.ts';
import { type PlaceFilters, placesDuring } from '../places-during.ts';
import { leftAt, staysIn } from '../stays/stays-in.ts';
import { isEmpty, type Window } from '../window.ts';

export const DWELL_GROUPS = ['location', 'asset', 'day'] as const;

export const DWELL_SORT_FIELDS = [
  'location_external_key',
  'asset_external_key',
  'day',
  'total_seconds',
  'mean_seconds',
  'median_seconds',
  'p90_seconds',
  'max_seconds',
  'stays',
  'assets',
] as const;

export interface DwellFilters extends AssetFilters, PlaceFilters, Paging {
  group_by: (typeof DWELL_GROUPS)[number];
  time_zone: string;
  sort: readonly SortTerm<(typeof DWELL_SORT_FIELDS)[number]>[];
}

export interface DwellRow {
  location_id: number | null;
  location_external_key: string | null;
  asset_id: number | null;
  asset_external_key: string | null;
  day: string | null;
  /** False for the time before assets were first seen. */
  seen: boolean;
  /** In milliseconds, as the others. */
  total: number;
  mean: number;
  median: number;
  p90: number;
  max: number;
  stays: number;
  assets: number;
}

const SORT_COLUMNS = {
  location_external_key: sql.fragment`location_external_key`,
  asset_external_key: sql.fragment`asset_external_key`,
  day: sql.fragment`day_number`,
  total_seconds: sql.fragment`total`,
  mean_seconds: sql.fragment`mean`,
  median_seconds: sql.fragment`median`,
  p90_seconds: sql.fragment`p90`,
  max_seconds: sql.fragment`max`,
  stays: sql.fragment`stays`,
  assets: sql.fragment`assets`,
};

const NULLABLE = ['location_external_key', 'asset_external_key', 'day'] as const;

/**
 * A page of how long assets stayed, by group, as histories are or were known. One value for each stay: its time within
 * the window, and where places are narrowed, within these. Bounds are cut to milliseconds and then subtracted, so that the
 * times of all groups add up to the window times the assets, exactly.
 */
export async function readDwell(
  db: OrganizationDatabase,
  window: Window,
  known: Known | null,
  filters: DwellFilters,
  signal?: AbortSignal,
): Promise<Page<DwellRow>> {
  if (isEmpty(window)) {
    return { rows: [], totalCount: 0 };
  }
  const days = filters.group_by === 'day' ? daysOf(window, filters.time_zone) : null;
  const list = db.listing({ isBrief: false, isWhole: true, signal });
  const page = pageOf(await list.any(dwellQuery(db.orgId, window, known, filters, days)));
  return { ...page, rows: page.rows.map((row) => ({ ...row, day: dayOf(row, days) })) };
}

/** A row before its day has a name. */
export interface NumberedDwellRow extends Omit<DwellRow, 'day'> {
  id: number;
  /** From 1. */
  day_number: number | null;
}

export function dayOf({ day_number: number }: NumberedDwellRow, days: Days | null): string | null {
  return number === null ? null : (days?.names[number - 1] ?? null);
}

/**
 * Rows are sorted by one integer, with many equal values: a month with 820,000 stays of 20,000 assets by location takes
 * 959 ms of a core (944 to 967, three rounds in turns); sorting by two columns and the asset took 1,321 (1,282 to
 * 1,353).
 *
 * @param window not empty.
 * @param days those of the window, to group by.
 */
export function dwellQuery(
  orgId: number,
  window: Window,
  known: Known | null,
  filters: DwellFilters,
  days: Days | null,
): RowQuery<NumberedDwellRow & { total_count: number }> {
  const order = orderBy(filters.sort, SORT_COLUMNS, sql.fragment`id`, { nullable: NULLABLE });
  return sql.type(rowsOf<NumberedDwellRow & { total_count: number }>())`
    with grouped as materialized (
      select case when id > 0 then id end as member, id >= 0 as seen, id, sum(took) as total,
        sum(took) / count(*) as mean, max(took) as max,
        percentile_cont(array[0.5, 0.9]) within group (order by took) as percentiles,
        count(*) as stays, count(distinct asset_id) as assets
      from (${timesOfGroups(staysInWindow(orgId, window, known, filters), filters, days)}) value
      group by id
    ),
    named as (
      select grouped.id,
        ${filters.group_by === 'location' ? sql.fragment`member` : NO_ID} as location_id,
        location.external_key as location_external_key,
        ${filters.group_by === 'asset' ? sql.fragment`member` : NO_ID} as asset_id,
        asset.external_key as asset_external_key,
        ${filters.group_by === 'day' ? sql.fragment`member` : NO_ID} as day_number,
        seen, total, mean, percentiles[1] as median, percentiles[2] as p90, max, stays, assets
      from grouped
      left join locations location on ${is('location', orgId, filters)}
      left join assets asset on ${is('asset', orgId, filters)}
    )
    select counted.total_count, page.*
    from (select count(*) as total_count from grouped) counted
    left join (select * from named order by ${order} limit ${filters.limit} offset ${filters.offset}) page on true
    order by ${order}`;
}

const NO_ID = sql.fragment`null::integer`;

function is(table: 'location' | 'asset', orgId: number, filters: DwellFilters): FragmentSqlToken {
  return filters.group_by === table
    ? sql.fragment`${sql.identifier([table, 'org_id'])} = ${orgId} and ${sql.identifier([table, 'id'])} = grouped.member`
    : sql.fragment`false`;
}

/**
 * `(id, asset_id, took)`: the group of a stay's time, once for each day that it touches. Groups are locations, assets
 * or days by number, 0 for deleted assets without a name, -1 for the time before the first scan.
 */
function timesOfGroups(stays: FragmentSqlToken, filters: DwellFilters, days: Days | null): FragmentSqlToken {
  const parts = days === null ? stays : byDay(stays, days);
  const id = {
    location: sql.fragment`coalesce(part.location_id, -1)`,
    asset: sql.fragment`case when part.location_id is null then -1
      ${filters.include_deleted ? sql.fragment`` : sql.fragment`when part.is_deleted then 0`} else part.asset_id end`,
    day: sql.fragment`part.day`,
  }[filters.group_by];
  if (!isInParts(filters)) {
    return sql.fragment`select ${id} as id, part.asset_id, ${TOOK} as took from (${parts}) part ${EACH_ONCE}`;
  }
  return sql.fragment`
    select ${id} as id, part.asset_id, sum(${TOOK}) as took
    from (${parts}) part
    group by part.asset_id, part.is_deleted, part.entered_at, part.location_id, ${id}`;
}

/** True if a stay may count in several parts: a location may leave a subtree and come back. */
function isInParts({ include_descendants, location_id, location_external_key }: DwellFilters): boolean {
  return include_descendants && (location_id !== undefined || location_external_key !== undefined);
}

/**
 * Without it, bounds are sorted along, and each aggregate subtracts them again: of a month of 20,000 assets by day, 450 MB on
 * disk instead of 43.
 */
const EACH_ONCE = sql.fragment`offset 0`;

const TOOK = millisecondsBetween(sql.fragment`part.since`, sql.fragment`part.until`);

/**
 * The time before the first scan belongs to no day: its number is -1, for which `starts` has no element, so nothing is
 * cut.
 */
function byDay(stays: FragmentSqlToken, days: Days): FragmentSqlToken {
  const dayAt = (at: FragmentSqlToken) =>
    sql.fragment`case when stay.location_id is null then -1 else width_bucket(${at}, days.starts) end`;
  return sql.fragment`
    select asset_id, is_deleted, location_id, entered_at, day,
      greatest(since, starts[day]) as since, least(until, starts[day + 1]) as until
    from (
      select stay.*, days.starts, generate_series(
        ${dayAt(sql.fragment`stay.since`)}, ${dayAt(sql.fragment`stay.until - interval '1 microsecond'`)}) as day
      from (select ${startsOf(days)} as starts) days
      cross join (${stays}) stay
    ) piece`;
}

/**
 * A query of the stays that overlap a window, as histories are or were known, cut to it: `(asset_id, is_deleted,
 * location_id, entered_at, since, until)`. Before its first transition an asset stays nowhere: `location_id` is null,
 * which no filter of locations finds. So the stays of an asset follow one another without a gap from the beginning of the
 * window to its end, or to the asset's deletion. A stay is one row, unless its location left the subtree asked for and
 * came back meanwhile; `entered_at` is the same in all of them.
 *
 * An asset counts from the beginning, whenever it was made: its scans may be older than it is, and the times of all assets
 * are to be the window times the assets. One made later adds to what was not yet seen, and to nothing else; a report that
 * is to leave it out is asked for as it was known.
 *
 * Bounds are as they are stored, in microseconds; `is_deleted` tells assets deleted by the end of the window.
 *
 * @param window not empty, and over before `known`.
 */
function staysInWindow(
  orgId: number,
  window: Window,
  known: Known | null,
  filters: AssetFilters & PlaceFilters,
): FragmentSqlToken {
  const [from, to] = [
    sql.fragment`time_of_micros(${window.from})`,
    sql.fragment`time_of_micros(${window.to})`,
  ];
  const named = namedAssets(orgId, filters);
  const counted = sql.fragment`
    select asset.id as asset_id, coalesce(asset.deleted_at <= ${to}, false) as is_deleted,
      least(${to}, asset.deleted_at) as until
    from assets asset
    where ${allOf([
      sql.fragment`asset.org_id = ${orgId}`,
      sql.fragment`(asset.deleted_at is null or asset.deleted_at > ${from})`,
      when(named ?? undefined, (assets) => sql.fragment`asset.id in (${assets})`),
      known && sql.fragment`asset.created_at < time_of_micros(${known.before})`,
    ])}`;
  const places = placesDuring(orgId, filters, window);
  if (places === null) {
    return known === null
      ? byAsset(orgId, counted, from)
      : sql.fragment`
        with ${knownStays(orgId, known, window, named)} counted as materialized (${counted}) ${asKnown(orgId, from)}`;
  }
  const stays = sql.fragment`
    select stay.asset_id, counted.is_deleted, stay.location_id, stay.entered_at,
      greatest(stay.entered_at, ${from}) as since, least(${leftAt(orgId, 'stay')}, counted.until) as until
    from stay join (${counted}) counted on counted.asset_id = stay.asset_id and stay.entered_at < counted.until
    offset 0`;
  return sql.fragment`
    with ${staysIn(orgId, { window, known, assets: named, places })}
    ${filters.include_descendants ? partsOf(stays) : stays}`;
}

/** The parts of stays in which their locations count. */
function partsOf(stays: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    select stay.asset_id, stay.is_deleted, stay.location_id, stay.entered_at,
      lower(part.during) as since, upper(part.during) as until
    from (${stays}) stay
    join place on place.location_id = stay.location_id
    cross join lateral unnest(place.during * tstzmultirange(tstzrange(stay.since, stay.until))) part (during)`;
}

/** From `known_stay` for assets with later changes, from the current rows for the others. */
function asKnown(orgId: number, from: FragmentSqlToken): FragmentSqlToken {
  const isTouched = sql.fragment`exists (select from touched where touched.asset_id = counted.asset_id)`;
  return sql.fragment`
    ${byAsset(orgId, sql.fragment`select * from counted where not ${isTouched}`, from)}
    union all
    select asset_id, is_deleted, location_id, at, at,
      lead(at, 1, until) over (partition by asset_id order by at)
    from (
      select counted.*, known_stay.location_id, greatest(known_stay.entered_at, ${from}) as at
      from counted join known_stay using (asset_id)
      where known_stay.entered_at < counted.until
      union all
      select counted.*, null, ${from} from counted
      where ${isTouched} and not exists (
        select from known_stay where known_stay.asset_id = counted.asset_id and known_stay.entered_at <= ${from})
    ) moved`;
}

/**
 * Reads the transitions of one asset after the other, from where it was at the beginning: on the index of an asset's
 * history, whose order is that of the stays, so that nothing is sorted.
 */
function byAsset(orgId: number, counted: FragmentSqlToken, from: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    select counted.asset_id, counted.is_deleted, moved.location_id, moved.at as entered_at, moved.at as since,
      moved.next as until
    from (${counted}) counted
    cross join lateral (
      select location_id, at, lead(at, 1, counted.until) over (order by at) as next
      from (
        select (${whereAt(orgId, sql.fragment`counted.asset_id`, from)}) as location_id, ${from} as at
        union all
        select transition.location_id, transition.observed_at
        from location_transitions transition
        where ${of(orgId, 'transition', sql.fragment`counted.asset_id`)}
          and transition.observed_at > ${from} and transition.observed_at < counted.until
      ) moved
    ) moved`;
}

function whereAt(orgId: number, assetId: FragmentSqlToken, at: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    select transition.location_id from location_transitions transition
    where ${of(orgId, 'transition', assetId)} and transition.observed_at <= ${at}
    order by transition.observed_at desc limit 1`;
}

function of(orgId: number, table: string, assetId: FragmentSqlToken): ValueExpression {
  return sql.fragment`${sql.identifier([table, 'org_id'])} = ${orgId}
    and ${sql.identifier([table, 'asset_id'])} = ${assetId}`;
}
