import type { Micros } from '../../../base/instant.ts';
import type { Page, Paging, SortTerm } from '../../../base/page.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { type FragmentSqlToken, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import {
  AT_MOST_FIRST,
  allOf,
  inEffect,
  isFirstOf,
  isFoundByKey,
  isNear,
  isNext,
  lookUpsIn,
  NOTHING,
  orderBy,
  when,
} from '../clauses.ts';
import { type Listed, pageInPieces, type ReadLargeRows, textsThatFit } from '../large-texts.ts';
import { countInEffect, countLive } from '../live-count.ts';
import type { LocationRow } from '../rows.ts';
import { hasSoughtTag, idsByKeys, type NamedTags, type SoughtTags, soughtTags } from '../tags/queries.ts';
import { parentOf, SHORT_COLUMNS, TAGGED, TEXTS } from './queries.ts';

const SORT_COLUMNS = {
  external_key: sql.fragment`location.external_key`,
  name: sql.fragment`location.name`,
  created_at: sql.fragment`location.created_at`,
  updated_at: sql.fragment`location.updated_at`,
};

export interface LocationFilters extends Omit<Narrowing, keyof SoughtTags>, NamedTags, Standing, Paging {
  sort: readonly SortTerm<keyof typeof SORT_COLUMNS>[];
}

/** A page of locations, by default of those in effect (contract 4.3). */
export async function listLocations(
  db: OrganizationDatabase,
  filters: LocationFilters,
  readLarge: ReadLargeRows,
  signal?: AbortSignal,
): Promise<Page<LocationRow>> {
  const { orgId } = db;
  const isOne = filters.id !== undefined && isNear(filters);
  const isBrief = isOne || isFoundByKey(filters) || isFirstOf(filters, { inOrderOf: 'external_key' });
  const lookUps = lookUpsIn(filters);
  const id = sql.fragment`location.id`;
  const order = orderBy(filters.sort, SORT_COLUMNS, id, { after: filters.after });
  const values = soughtTags(filters);
  const narrowing = narrowedTo(orgId, values);
  const where = allOf([...standingOf(orgId, filters), ...narrowing]);
  const countEach = filters.include_not_in_effect ? countLive : countInEffect;
  const total =
    filters.include_deleted || narrowing.some((condition) => condition !== null)
      ? sql.fragment`select count(*) as total_count from locations location where ${where}`
      : countEach(orgId, 'location', filters.is_active);
  const rows = await db.listing({ isBrief, lookUps, signal }).any(sql.type(rowsOf<LocationRow & Listed>())`
    ${finding(orgId, values)}
    select total.total_count, ${SHORT_COLUMNS}, ${textsThatFit(TEXTS, order)}
    from (${total}) total
    left join (
      select * from (
        select location.* from locations location
        where ${where} and ${isNext(id, filters.after)}
        order by ${order}
        ${isBrief ? AT_MOST_FIRST : NOTHING}
      ) location
      order by ${order}
      limit ${filters.limit} offset ${filters.offset}
    ) location on true
    left join ${parentOf(orgId)}
    cross join ${TAGGED}
    order by ${order}`);
  return pageInPieces(rows, (ids) => readLarge('location', ids));
}

export interface Narrowing extends SoughtTags {
  external_key?: readonly string[] | undefined;
  id?: number | undefined;
  parent_id?: number | undefined;
  parent_external_key?: string | undefined;
  updated_since?: Micros | undefined;
  q?: string | undefined;
}

export interface Standing {
  include_deleted: boolean;
  include_not_in_effect: boolean;
  is_active?: boolean | undefined;
}

/**
 * Locations whose name, key, description or a live tag contains a text, case-insensitively, or that have it as a tag in
 * any notation: their ids as `found`; nothing without a search. Precedes a statement with {@link IS_FOUND}.
 */
export function finding(
  orgId: number,
  { q, q_keys: keys }: Pick<Narrowing, 'q' | 'q_keys'>,
): FragmentSqlToken {
  if (q === undefined) {
    return NOTHING;
  }
  const named = keys === undefined ? NOTHING : sql.fragment`union all ${idsByKeys('location', orgId, keys)}`;
  return sql.fragment`with found as materialized (
      select find_by_text('location', ${orgId}, ${q}) as id ${named}
    )`;
}

export const IS_FOUND = sql.fragment`location.id in (select id from found)`;

/** Conditions on a `location`; a search is one of `found`, which {@link finding} puts in front. */
export function narrowedTo(orgId: number, values: Narrowing): (FragmentSqlToken | null)[] {
  return [
    when(
      values.external_key,
      (keys) => sql.fragment`location.external_key = any(${sql.array(keys, 'text')})`,
    ),
    when(values.id, (id) => sql.fragment`location.id = ${id}`),
    when(values.parent_id, (parentId) => sql.fragment`location.parent_id = ${parentId}`),
    when(
      values.parent_external_key,
      (key) => sql.fragment`location.parent_id = any (array(
        select id from locations where org_id = ${orgId} and external_key = ${key}))`,
    ),
    when(values.updated_since, (since) => sql.fragment`location.updated_at >= time_of_micros(${since})`),
    hasSoughtTag('location', orgId, values),
    when(values.q, () => IS_FOUND),
  ];
}

/** Conditions on a `location`. */
export function standingOf(orgId: number, standing: Standing): (FragmentSqlToken | null)[] {
  return [
    sql.fragment`location.org_id = ${orgId}`,
    standing.include_not_in_effect ? null : inEffect('location'),
    standing.include_deleted ? null : sql.fragment`location.deleted_at is null`,
    when(standing.is_active, (isActive) => sql.fragment`location.is_active = ${isActive}`),
  ];
}
