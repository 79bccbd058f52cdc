import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { ComposedOnce } from '../../../db/timescale/queries/composed-statements.ts';
import { type FragmentSqlToken, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { OrganizationChange } from '../../changes/make-change.ts';
import { liveByKey, rowById } from '../by-id-or-key.ts';
import { type Given, LOCATION_COLUMNS, type Written } from '../columns.ts';
import type { LookedUp } from '../large-texts.ts';
import type { LocationRow } from '../rows.ts';
import { named, selected, stored, written } from '../stored-columns.ts';
import type { TagColumns } from '../tags/new-tag.ts';
import { fewLiveTags, liveTags } from '../tags/queries.ts';

export type NewLocation = Given<typeof LOCATION_COLUMNS> & {
  external_key?: string | undefined;
  parent_id?: number | null | undefined;
  parent_external_key?: string | null | undefined;
  tags?: TagColumns | undefined;
};

/** Columns of a `location` and its `parent`, except tags. */
export const SHORT_COLUMNS = sql.fragment`location.id, location.external_key, ${selected(LOCATION_COLUMNS, 'location')},
  location.parent_id, parent.external_key as parent_external_key,
  location.created_at, location.updated_at, location.deleted_at`;

const COLUMNS = sql.fragment`${SHORT_COLUMNS}, ${liveTags('location', 'location')}`;

/** Unbounded texts of a location in a page, with their sources. */
export const TEXTS = { tags: sql.fragment`tagged.tags` };
export const TAGGED = sql.fragment`lateral (select ${liveTags('location', 'location')} offset 0) tagged`;

/** The parent of each `location`, a deleted one, too. */
export function parentOf(orgId: number): FragmentSqlToken {
  return sql.fragment`${rowById('location', orgId, sql.fragment`location.parent_id`)} parent on true`;
}

function liveWithParent(orgId: number, id: number): FragmentSqlToken {
  return sql.fragment`${rowById('location', orgId, id, { live: true })} location
    left join ${parentOf(orgId)}`;
}

export function findLiveLocation(
  connection: OrganizationConnection,
  id: number,
): Promise<LocationRow | null> {
  return connection.maybeOne(sql.prepared('find-live-location', rowsOf<LocationRow>())`
    select ${COLUMNS}
    from ${liveWithParent(connection.orgId, id)}`);
}

/** Pipelined look-up of a live location. */
export function lookUpLocation(
  connection: OrganizationConnection,
  id: number,
): Promise<LookedUp<LocationRow> | null> {
  return connection.maybeOne(LOOK_UP.statement({ orgId: connection.orgId, id }));
}

const LOOK_UP = new ComposedOnce(
  ({ orgId, id }: { orgId: number; id: number }) =>
    sql.prepared('look-up-location', rowsOf<LookedUp<LocationRow>>())`
      select ${SHORT_COLUMNS}, ${fewLiveTags('location', 'location')}
      from ${liveWithParent(orgId, id)}`,
);

export function readLocations(
  connection: OrganizationConnection,
  ids: readonly number[],
): Promise<readonly LocationRow[]> {
  return connection.any(sql.type(rowsOf<LocationRow>())`
    select ${COLUMNS}
    from locations location
    left join ${parentOf(connection.orgId)}
    where location.org_id = ${connection.orgId} and location.id = any(${sql.array(ids, 'int4')})`);
}

/** Keeps a live location live until the transaction ends: deleting takes its row's full lock. */
export async function lockLiveLocation(
  transaction: OrganizationConnection,
  id: number,
): Promise<number | null> {
  const row = await transaction.maybeOne(sql.type(rowsOf<{ id: number; is_live: boolean }>())`
    select id, deleted_at is null as is_live from locations
    where org_id = ${transaction.orgId} and id = ${id} for key share`);
  return row?.is_live === true ? row.id : null;
}

/** Null if a live location has the key. */
export async function insertLocation(
  change: OrganizationChange,
  externalKey: string,
  location: NewLocation,
  parentId: number | null,
): Promise<number | null> {
  const values = { orgId: change.orgId, externalKey, parentId, ...written(LOCATION_COLUMNS, location) };
  return (await change.maybeOne(INSERT.statement(values)))?.id ?? null;
}

const INSERT = new ComposedOnce(
  (
    marks: { orgId: number; externalKey: string; parentId: number | null } & Written<typeof LOCATION_COLUMNS>,
  ) =>
    sql.prepared('insert-location', rowsOf<{ id: number }>())`
    insert into locations (org_id, external_key, parent_id, ${named(LOCATION_COLUMNS)})
    select ${marks.orgId}, ${marks.externalKey}, ${marks.parentId}::integer,
      ${stored(LOCATION_COLUMNS, (name) => marks[name])}
    where (${liveByKey('location', marks.orgId, marks.externalKey)}) is null
    on conflict (org_id, external_key) where deleted_at is null do nothing
    returning id`,
);
