import type { Micros } from '../../../base/instant.ts';
import type { Page, Paging, SortTerm } from '../../../base/page.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { ComposedOnce } from '../../../db/timescale/queries/composed-statements.ts';
import { type FragmentSqlToken, type RowQuery, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { liveByKeys, positionOf, rowById } from '../by-id-or-key.ts';
import {
  AT_MOST_FIRST,
  allOf,
  inEffect,
  isFirstOf,
  isFoundByKey,
  isNext,
  lookUpsIn,
  NOTHING,
  orderBy,
  when,
} from '../clauses.ts';
import { type Listed, pageInPieces, type ReadLargeRows, textsThatFit } from '../large-texts.ts';
import { countInEffect, countLive } from '../live-count.ts';
import type { AssetRow } from '../rows.ts';
import {
  hasSoughtTag,
  idsByKeys,
  liveTags,
  type NamedTags,
  NO_TAGS,
  type SoughtTags,
  soughtTags,
  tagsOfPage,
} from '../tags/queries.ts';
import { LONG_COLUMNS, locationOf, POSITION_ON_PLAN, SHORT_COLUMNS } from './queries.ts';

const SORT_COLUMNS = {
  external_key: sql.fragment`asset.external_key`,
  name: sql.fragment`asset.name`,
  created_at: sql.fragment`asset.created_at`,
  updated_at: sql.fragment`asset.updated_at`,
};

const UNIQUE = ['external_key'] as const;

const TEXTS = {
  ...LONG_COLUMNS,
  tags: sql.fragment`coalesce(tagged.tags::text, ${NO_TAGS})`,
};

export interface AssetFilters extends AskedOfAssets, Standing, Paging {
  sort: readonly SortTerm<keyof typeof SORT_COLUMNS | 'metadata'>[];
}

export interface AskedOfAssets extends Omit<Narrowing, 'orgId' | keyof SoughtTags>, NamedTags {
  q?: string | undefined;
  /** Values of fields that the metadata has, by name. */
  metadata?: Readonly<Record<string, string>> | undefined;
}

type Values = Narrowing & Searched & Paging & { sort_member?: string | undefined };

type Shape = Standing & Pick<AssetFilters, 'sort'> & { isBrief: boolean; isLookUp: boolean };

/** A page of assets, by default of those in effect (contract 4.2). */
export async function listAssets(
  db: OrganizationDatabase,
  filters: AssetFilters,
  readLarge: ReadLargeRows,
  signal?: AbortSignal,
): Promise<Page<AssetRow>> {
  const {
    sort: asked,
    include_deleted,
    include_not_in_effect,
    is_active,
    include_descendants,
    ...others
  } = filters;
  const isBrief = isFoundByKey(filters) || isFirstOf(filters, { inOrderOf: 'external_key' });
  const lookUps = lookUpsIn(filters);
  const isLookUp = lookUps !== undefined;
  const standing = { include_deleted, include_not_in_effect, is_active, include_descendants };
  const { sort, member } = sortOf(asked, include_deleted);
  const shape = { ...standing, sort, isBrief, isLookUp };
  const values = { ...soughtOf(others), sort_member: member, orgId: db.orgId };
  const rows = await db
    .listing({ isBrief, isWhole: !isLookUp, lookUps, signal })
    .any(LISTS.statement(values, shape));
  return pageInPieces(rows, (ids) => readLarge('asset', ids));
}

/** What is sorted by, up to a key, behind which no two assets are left to sort. */
function sortOf(given: AssetFilters['sort'], withDeleted: boolean) {
  const at = withDeleted ? -1 : given.findIndex(({ field }) => field === 'external_key');
  const sort = at === -1 ? given : given.slice(0, at + 1);
  return {
    sort: sort.map(({ field, isDescending }) => ({ field, isDescending })),
    member: sort.find(({ member }) => member !== undefined)?.member,
  };
}

/** Filters as statements take them. */
export function soughtOf<Filters extends AskedOfAssets>(filters: Filters) {
  const { metadata, ...sought } = soughtTags(filters);
  return { ...sought, metadata: metadata && JSON.stringify(metadata) };
}

function composeList(
  { limit, offset, after, sort_member: member, ...values }: Values,
  { isBrief, isLookUp, sort, ...standing }: Shape,
): RowQuery<AssetRow & Listed> {
  const { orgId } = values;
  const unique = standing.include_deleted ? [] : UNIQUE;
  const id = sql.fragment`asset.id`;
  const orderBeside = (value: FragmentSqlToken) =>
    orderBy(sort.flatMap(sortedByMember), { ...SORT_COLUMNS, ...memberColumns(value) }, id, {
      ...{ unique, after, nullable: MEMBER_TERMS },
    });
  const order = orderBeside(member === undefined ? NOTHING : memberOf(member));
  const paged = sql.fragment`limit ${limit} offset ${offset}`;
  const search = isSearched(values) ? matched(orgId, values, standing, narrowedTo(values, standing)) : null;
  const { source, where, total } = search === null ? sourceOf(values, standing) : MATCHED;
  const rows = sql.fragment`${source} where ${where} and ${isNext(id, after)}`;
  // Sorts ids rather than rows, and looks into the metadata of each once.
  const beside =
    member === undefined
      ? null
      : sql.fragment`(
          select asset.id, asset.external_key, asset.name, asset.created_at, asset.updated_at, ${
            search === null
              ? memberOf(member)
              : sql.fragment`(select ${memberOf(member)} from ${rowById('asset', orgId, sql.fragment`asset.id`)} asset)`
          } as member
          from ${rows} offset 0
        ) asset order by ${orderBeside(sql.fragment`asset.member`)}`;
  const page =
    search === null && beside === null
      ? sql.fragment`select * from (
          select asset.* from ${rows} order by ${order}
          ${isBrief ? AT_MOST_FIRST : NOTHING}
        ) asset
        order by ${order}
        ${paged}`
      : sql.fragment`select asset.* from assets asset
        where asset.org_id = ${orgId} and asset.id = any (array(
          select asset.id from ${beside ?? sql.fragment`${rows} order by ${order}`} ${paged}))`;
  const { places, placed } = isLookUp ? oneByOne(orgId) : together(orgId);
  return sql.type(rowsOf<AssetRow & Listed>())`
    with ${search === null ? NOTHING : sql.fragment`${search},`} page as materialized (${page})${places}
    select total.total_count, ${SHORT_COLUMNS}, ${textsThatFit(TEXTS, order)}
    from (${total}) total
    left join ${placed}
    order by ${order}`;
}

/** A member of the metadata as it is sorted by. */
function memberOf(name: string): FragmentSqlToken {
  return sql.fragment`left(asset.metadata ->> ${name}::text, 255)`;
}

const MEMBER_TERMS = ['member_as_number', 'member_as_text'] as const;

/** Numbers by size, also those that are texts, as in a file of people's; then all other texts. */
function memberColumns(value: FragmentSqlToken): Record<(typeof MEMBER_TERMS)[number], FragmentSqlToken> {
  return {
    member_as_number: sql.fragment`case when ${value} ~ '^-?[0-9]{1,30}([.][0-9]{1,30})?$' then (${value})::numeric end`,
    member_as_text: sql.fragment`${value} collate "C"`,
  };
}

function sortedByMember({ field, isDescending }: AssetFilters['sort'][number]) {
  const fields = field === 'metadata' ? MEMBER_TERMS : [field];
  return fields.map((each) => ({ field: each, isDescending }));
}

const LISTS = new ComposedOnce(composeList);

const MATCHED = {
  source: sql.fragment`matched asset`,
  where: sql.fragment`true`,
  total: sql.fragment`select count(*) as total_count from matched`,
};

/** The source of a list without a search (keys or locations, if given), its condition, and its total. */
function sourceOf(values: Narrowing, standing: Standing) {
  const { orgId, external_key: keys } = values;
  const isByKey = keys !== undefined && !standing.include_deleted;
  const located = isByKey ? null : locatedAt(values, standing);
  const settled = isByKey
    ? { external_key: undefined }
    : { location_id: undefined, location_external_key: undefined };
  const narrowing = narrowedTo({ ...values, ...settled }, standing);
  const where = allOf([...standingOf(orgId, standing), ...narrowing]);
  const asksWhenSeen = (values.seen_within_seconds ?? values.unseen_for_seconds) !== undefined;
  const placing = asksWhenSeen ? sql.fragment`left join ${positionOf('asset')} on true` : NOTHING;
  const source = isByKey
    ? sql.fragment`${liveByKeys('asset', orgId, keys)} asset ${placing}`
    : located === null
      ? PLACED
      : sql.fragment`(${located}) located
          cross join ${rowById('asset', orgId, sql.fragment`located.asset_id`)} asset ${placing}`;
  const isWhole = source === PLACED && narrowing.every((condition) => condition === null);
  const countEach = standing.include_not_in_effect ? countLive : countInEffect;
  const total =
    isWhole && !standing.include_deleted
      ? countEach(orgId, 'asset', standing.is_active)
      : sql.fragment`select count(*) as total_count from ${source} where ${where}`;
  return { source, where, total };
}

function oneByOne(orgId: number) {
  return {
    places: NOTHING,
    placed: sql.fragment`(
      select page.*, position.location_id, ${POSITION_ON_PLAN} as position from page
      left join ${positionOf('page')} on true
    ) asset on true
    left join ${locationOf(orgId)}
    cross join lateral (select ${liveTags('asset', 'asset')} offset 0) tagged`,
  };
}

/**
 * {@link oneByOne} for all rows at once: a page of 50 took 510 us of PostgreSQL's time with a look-up per row, and 360 so;
 * but one asset by its key 98, and 90 one by one (on an equally busy machine).
 *
 * Each row has one to join, yet the joins are full ones: they cannot be nested loops, which PostgreSQL would choose without
 * statistics (43 ms for 200 assets, instead of 4).
 */
function together(orgId: number): ReturnType<typeof oneByOne> {
  return {
    places: sql.fragment`, place as materialized (
        select asset_id, location_id, ${POSITION_ON_PLAN} as position from positions position
        where org_id = ${orgId} and asset_id = any(array(select id from page))
        order by asset_id
      ),
      location as materialized (
        select id, external_key from locations
        where org_id = ${orgId} and id = any(array(select location_id from place where location_id is not null))
        order by id
      )`,
    placed: sql.fragment`(
        (select page.*, place.location_id, place.position from page full join place on place.asset_id = page.id) asset
        full join location on location.id = asset.location_id
        full join (${tagsOfPage('asset', orgId)}) tagged on tagged.asset_id = asset.id
      ) on true`,
  };
}

export interface Narrowing extends SoughtTags {
  orgId: number;
  /** For filters that no column answers, such as the one by states. */
  id?: readonly number[] | undefined;
  external_key?: readonly string[] | undefined;
  location_id?: readonly number[] | undefined;
  location_external_key?: readonly string[] | undefined;
  seen_within_seconds?: number | undefined;
  unseen_for_seconds?: number | undefined;
  updated_since?: Micros | undefined;
}

export interface Standing {
  include_deleted: boolean;
  include_not_in_effect: boolean;
  is_active?: boolean | undefined;
  /** Adds the locations below those that are asked for. */
  include_descendants?: boolean | undefined;
}

export const PLACED = sql.fragment`assets asset
  left join positions position on position.org_id = asset.org_id and position.asset_id = asset.id`;

/** Conditions on an `asset` and its `position`. */
export function narrowedTo(values: Narrowing, standing: Standing): (FragmentSqlToken | null)[] {
  const located = locatedAt(values, standing);
  return [
    // Not `any`, for which each id would be looked through for each asset.
    when(values.id, (ids) => sql.fragment`asset.id in (select unnest(${sql.array(ids, 'int4')}))`),
    when(values.external_key, (keys) => sql.fragment`asset.external_key = any(${sql.array(keys, 'text')})`),
    when(
      values.seen_within_seconds,
      (seconds) => sql.fragment`position.last_seen >= now() - ${seconds}::integer * interval '1 second'`,
    ),
    when(
      values.unseen_for_seconds,
      (seconds) =>
        sql.fragment`(position.last_seen is null or position.last_seen < now() - ${seconds}::integer * interval '1 second')`,
    ),
    when(values.updated_since, (since) => sql.fragment`asset.updated_at >= time_of_micros(${since})`),
    hasSoughtTag('asset', values.orgId, values),
    located && sql.fragment`asset.id in (${located})`,
  ];
}

/** The `asset_id` of assets at locations, found from their positions whatever the statistics say; null for any location. */
function locatedAt(
  { orgId, location_id: ids, location_external_key: keys }: Narrowing,
  { include_descendants: withBelow }: Standing,
): FragmentSqlToken | null {
  const isAt = (isNamed: FragmentSqlToken) =>
    sql.fragment`location_id = any(array(${
      withBelow
        ? withDescendants(orgId, isNamed)
        : sql.fragment`select location.id from locations location where location.org_id = ${orgId} and ${isNamed}`
    }))`;
  const conditions = [
    when(ids, (given) =>
      withBelow
        ? isAt(sql.fragment`location.id = any(${sql.array(given, 'int4')})`)
        : sql.fragment`location_id = any(${sql.array(given, 'int4')})`,
    ),
    when(keys, (given) => isAt(sql.fragment`location.external_key = any(${sql.array(given, 'text')})`)),
  ];
  return conditions.every((condition) => condition === null)
    ? null
    : sql.fragment`select asset_id from positions where org_id = ${orgId} and ${allOf(conditions)}
        order by location_id offset 0`;
}

/** A query of some locations and all below. `union`, not `union all`: it ends though the tree had a circle. */
function withDescendants(orgId: number, isNamed: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
        with recursive within (id) as (
          select location.id from locations location where location.org_id = ${orgId} and ${isNamed}
          union
          select below.id from within
          join locations below on below.org_id = ${orgId} and below.parent_id = within.id
        ) select id from within`;
}

/** Conditions on an `asset`. */
export function standingOf(orgId: number, standing: Standing): (FragmentSqlToken | null)[] {
  return [
    sql.fragment`asset.org_id = ${orgId}`,
    standing.include_not_in_effect ? null : inEffect('asset'),
    standing.include_deleted ? null : sql.fragment`asset.deleted_at is null`,
    when(standing.is_active, (isActive) => sql.fragment`asset.is_active = ${isActive}`),
  ];
}

export interface Searched {
  q?: string | undefined;
  q_keys?: string | undefined;
  /** An object of texts as JSON. */
  metadata?: string | undefined;
}

/** True if functions of the database find the assets. */
export function isSearched({ q, metadata }: Searched): boolean {
  return q !== undefined || metadata !== undefined;
}

/**
 * Assets found by a search, by metadata and the other filters, as `matched`, with sortable columns only. All must be
 * counted, so each is read once, in the database's functions (`db/timescale/schema/functions/search.sql`); a
 * function's result has no collation. Tags in another notation are found by their keys.
 *
 * @param narrowing conditions on an `asset` that the functions do not know.
 */
export function matched(
  orgId: number,
  { q, q_keys: keys, metadata }: Searched,
  standing: Standing,
  narrowing: readonly (FragmentSqlToken | null)[],
): FragmentSqlToken {
  const { include_not_in_effect, include_deleted, is_active } = standing;
  const listed = sql.fragment`${include_not_in_effect}::boolean, ${include_deleted}::boolean, ${is_active ?? null}::boolean`;
  const byMetadata = when(
    metadata,
    (wanted) => sql.fragment`find_assets_by_metadata(${orgId}, ${wanted}::text::json, ${listed})`,
  );
  const byText = when(q, (text) => sql.fragment`find_assets_by_text(${orgId}, ${text}, ${listed})`);
  const conditions = [
    ...narrowing,
    byText && byMetadata && sql.fragment`asset.id in (select id from ${byMetadata})`,
  ];
  const narrowed = conditions.some((condition) => condition !== null)
    ? sql.fragment`
      left join positions position on position.org_id = ${orgId} and position.asset_id = asset.id
      where ${allOf(conditions)}`
    : NOTHING;
  const named =
    keys === undefined
      ? NOTHING
      : sql.fragment`
      union all
      select asset.id, asset.external_key, asset.name, asset.created_at, asset.updated_at from assets asset
      where ${allOf(standingOf(orgId, standing))} and asset.id = any(array(${idsByKeys('asset', orgId, keys)}))
        and asset.id not in (select find_by_text('asset', ${orgId}, ${q ?? ''}))`;
  return sql.fragment`matched as materialized (
    select asset.id, asset.external_key collate "C" as external_key, asset.name collate "C" as name,
      asset.created_at, asset.updated_at
    from (
      select * from ${byText ?? byMetadata ?? NOTHING}
      ${named}
    ) asset${narrowed})`;
}
