import type { Page, Paging, SortTerm } from '../../../base/page.ts';
import type {
  OrganizationConnection,
  OrganizationDatabase,
} from '../../../db/timescale/connections/organization-door.ts';
import { ComposedOnce } from '../../../db/timescale/queries/composed-once.ts';
import { type FragmentSqlToken, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { OrganizationChange } from '../../changes/make-change.ts';
import { AT_MOST_FIRST, isFirstOf, isFoundByKey, isNear, lookUpsIn, NOTHING } from '../brief-list.ts';
import { rowById } from '../by-id.ts';
import { allOf, finding, inEffect, isFound, orderBy, when } from '../clauses.ts';
import { named, selected, stored } from '../column-lists.ts';
import { LOCATION_COLUMNS, type Written } from '../columns.ts';
import { liveByKey } from '../live-by-key.ts';
import { countInEffect, countLive } from '../live-count.ts';
import type { LookedUp } from '../looked-up.ts';
import type { ReadLargeRows } from '../pages-in-pieces.ts';
import { type Listed, pageInPieces, textsThatFit } from '../pages-in-pieces.ts';
import type { LocationRow } from '../rows.ts';
import { fewLiveTags, liveTags } from '../tags/queries.ts';
import { written } from '../written.ts';
import type { NewLocation } from './new-location.ts';

/** Of a `location` and its `parent`; all but its tags. */
export const SHORT_COLUMNS = sql.fragment`location.id, location.external_key, ${selected(LOCATION_COLUMNS, 'location')},
  location.parent_id, parent.external_key as parent_external_key,
  location.created_at, location.updated_at, location.deleted_at`;

const COLUMNS = sql.fragment`${SHORT_COLUMNS}, ${liveTags('location', 'location')}`;

/** The texts of a location in a page, and where they come from. */
export const TEXTS = { tags: sql.fragment`tagged.tags` };
export const TAGGED = sql.fragment`lateral (select ${liveTags('location', 'location')} offset 0) tagged`;

/** The parent is shown also when it was deleted since. */
export const PARENT = sql.fragment`locations parent
  on parent.org_id = location.org_id and parent.id = location.parent_id`;

/** A live `location` and its `parent`, which is shown also when it was deleted since. */
function liveWithParent(orgId: number, id: number): FragmentSqlToken {
  return sql.fragment`${rowById('location', orgId, id, { live: true })} location
    left join ${rowById('location', orgId, sql.fragment`location.parent_id`)} parent on true`;
}

/** A live location. */
export function findLiveLocation(
  connection: OrganizationConnection,
  id: number,
): Promise<LocationRow | null> {
  return connection.maybeOne(sql.prepared('find-live-location', rowsOf<LocationRow>())`
    select ${COLUMNS}
    from ${liveWithParent(connection.orgId, id)}`);
}

/** A live location, where others' look-ups wait behind it. */
export function lookUpLocation(
  connection: OrganizationConnection,
  id: number,
): Promise<LookedUp<LocationRow> | null> {
  const query = LOOK_UP.statement(
    '',
    { orgId: connection.orgId, id },
    (marks) =>
      sql.prepared('look-up-location', rowsOf<LookedUp<LocationRow>>())`
      select ${SHORT_COLUMNS}, ${fewLiveTags('location', 'location')}
      from ${liveWithParent(marks.orgId, marks.id)}`,
  );
  return connection.maybeOne(query);
}

const LOOK_UP = new ComposedOnce<{ orgId: number; id: number }>();

const SORT_COLUMNS = {
  external_key: sql.fragment`location.external_key`,
  name: sql.fragment`location.name`,
  created_at: sql.fragment`location.created_at`,
};

/** Which locations, in which order; without the others a list has those in effect. */
export interface LocationFilters extends Paging {
  external_key?: readonly string[] | undefined;
  id?: number | undefined;
  parent_id?: number | undefined;
  parent_external_key?: string | undefined;
  is_active?: boolean | undefined;
  include_deleted: boolean;
  include_not_in_effect: boolean;
  /** A text in their name, key, description or tags. */
  q?: string | undefined;
  sort: readonly SortTerm<keyof typeof SORT_COLUMNS>[];
}

/** A page of the locations, by default of those in effect (contract 4.3). */
export async function listLocations(
  db: OrganizationDatabase,
  filters: LocationFilters,
  readLarge: ReadLargeRows,
  signal?: AbortSignal,
): Promise<Page<LocationRow>> {
  const { orgId } = db;
  const isOne = filters.id !== undefined && isNear(filters);
  const isBrief = isOne || isFoundByKey(filters) || isFirstOf(filters, { inOrderOf: 'external_key' });
  const lookUps = lookUpsIn(filters, [filters.id, filters.parent_id, filters.parent_external_key]);
  const order = orderBy(filters.sort, SORT_COLUMNS, sql.fragment`location.id`);
  const narrowing = [
    when(
      filters.external_key,
      (keys) => sql.fragment`location.external_key = any(${sql.array(keys, 'text')})`,
    ),
    when(filters.id, (id) => sql.fragment`location.id = ${id}`),
    when(filters.parent_id, (parentId) => sql.fragment`location.parent_id = ${parentId}`),
    when(
      filters.parent_external_key,
      (key) => sql.fragment`location.parent_id in (
        select id from locations where org_id = ${orgId} and external_key = ${key})`,
    ),
    when(filters.q, () => isFound('location')),
  ];
  const where = allOf([
    sql.fragment`location.org_id = ${orgId}`,
    filters.include_not_in_effect ? null : inEffect('location'),
    filters.include_deleted ? null : sql.fragment`location.deleted_at is null`,
    when(filters.is_active, (isActive) => sql.fragment`location.is_active = ${isActive}`),
    ...narrowing,
  ]);
  const countEach = filters.include_not_in_effect ? countLive : countInEffect;
  const total =
    filters.include_deleted || narrowing.some((condition) => condition !== null)
      ? sql.fragment`select count(*) as total_count from locations location where ${where}`
      : countEach(orgId, 'location', filters.is_active);
  const rows = await db.listing({ isBrief, lookUps, signal }).any(sql.type(rowsOf<LocationRow & Listed>())`
    ${finding('location', orgId, filters.q)}
    select total.total_count, ${SHORT_COLUMNS}, ${textsThatFit(TEXTS, order)}
    from (${total}) total
    left join (
      select * from (
        select location.* from locations location
        where ${where}
        order by ${order}
        ${isBrief ? AT_MOST_FIRST : NOTHING}
      ) location
      order by ${order}
      limit ${filters.limit} offset ${filters.offset}
    ) location on true
    left join ${PARENT}
    cross join ${TAGGED}
    order by ${order}`);
  return pageInPieces(rows, (ids) => readLarge('location', ids));
}

/** Locations by their ids, deleted or not. */
export function readLocations(
  connection: OrganizationConnection,
  ids: readonly number[],
): Promise<readonly LocationRow[]> {
  return connection.any(sql.type(rowsOf<LocationRow>())`
    select ${COLUMNS}
    from locations location
    left join ${PARENT}
    where location.org_id = ${connection.orgId} and location.id = any(${sql.array(ids, 'int4')})`);
}

/**
 * The live location that an id or a key names, which then stays live until the transaction ends: deleting a location
 * takes its row's full lock.
 */
export async function lockLiveLocation(
  transaction: OrganizationConnection,
  named: { id: number } | { externalKey: string },
): Promise<number | null> {
  const condition =
    'id' in named ? sql.fragment`id = ${named.id}` : sql.fragment`external_key = ${named.externalKey}`;
  const row = await transaction.maybeOne(sql.type(rowsOf<{ id: number }>())`
    select id from locations
    where org_id = ${transaction.orgId} and ${condition} and deleted_at is null
    for key share`);
  return row?.id ?? null;
}

/** Inserts a location and returns its id; null if a live location has the key. */
export async function insertLocation(
  change: OrganizationChange,
  externalKey: string,
  location: NewLocation,
  parentId: number | null,
): Promise<number | null> {
  const values = { orgId: change.orgId, externalKey, parentId, ...written(LOCATION_COLUMNS, location) };
  const query = INSERT.statement(
    '',
    values,
    (marks) => sql.prepared('insert-location', rowsOf<{ id: number }>())`
    insert into locations (org_id, external_key, parent_id, ${named(LOCATION_COLUMNS)})
    select ${marks.orgId}, ${marks.externalKey}, ${marks.parentId}::integer,
      ${stored(LOCATION_COLUMNS, (name) => marks[name])}
    where (${liveByKey('location', marks.orgId, marks.externalKey)}) is null
    on conflict (org_id, external_key) where deleted_at is null do nothing
    returning id`,
  );
  return (await change.maybeOne(query))?.id ?? null;
}

const INSERT = new ComposedOnce<
  { orgId: number; externalKey: string; parentId: number | null } & Written<typeof LOCATION_COLUMNS>
>();
