import type { Page, Paging } from '../../../base/page.ts';
import type {
  OrganizationConnection,
  OrganizationDatabase,
} from '../../../db/timescale/connections/organization-door.ts';
import { type FragmentSqlToken, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { isNear } from '../clauses.ts';
import { type Listed, pageInPieces, type ReadLargeRows, textsThatFit } from '../large-texts.ts';
import type { LocationRow } from '../rows.ts';
import { parentOf, SHORT_COLUMNS, TAGGED, TEXTS } from './queries.ts';

type Listing = [
  db: OrganizationDatabase,
  id: number,
  paging: Paging,
  readLarge: ReadLargeRows,
  signal?: AbortSignal,
];

// Each level is looked up by itself (`offset 0`): without statistics a join reads all locations for every level.

export function listAncestors(...[db, id, ...rest]: Listing) {
  const tree = sql.fragment`
    select parent_id as id, 1 as place from locations where org_id = ${db.orgId} and id = ${id}
    union all
    select above.parent_id, tree.place + 1 from tree cross join lateral (
      select parent_id from locations where org_id = ${db.orgId} and id = tree.id offset 0
    ) above`;
  return listTree(db, tree, ...rest);
}

export function listChildren(...[db, id, ...rest]: Listing) {
  const tree = sql.fragment`
    select id, row_number() over (order by lower(external_key), external_key, id) as place from locations
    where org_id = ${db.orgId} and parent_id = ${id}`;
  return listTree(db, tree, ...rest);
}

export function listDescendants(...[db, id, ...rest]: Listing) {
  const tree = sql.fragment`select id, place from locations_below(${db.orgId}, ${id})`;
  return listTree(db, tree, ...rest);
}

export async function countDescendants(
  connection: OrganizationConnection,
  id: number,
  most: number,
): Promise<number> {
  const { count } = await connection.one(sql.type(rowsOf<{ count: number }>())`
    with recursive tree as (
      select id, deleted_at from locations where org_id = ${connection.orgId} and parent_id = ${id}
      union all
      select child.id, child.deleted_at from tree cross join lateral (
        select id, deleted_at from locations
        where org_id = ${connection.orgId} and parent_id = tree.id offset 0
      ) child
    )
    select count(*) from (select from tree where deleted_at is null limit ${most}) live`);
  return count;
}

/** @param tree ids and positions; it may refer to itself as `tree`. */
async function listTree(
  db: OrganizationDatabase,
  tree: FragmentSqlToken,
  { limit, offset }: Paging,
  readLarge: ReadLargeRows,
  signal?: AbortSignal,
): Promise<Page<LocationRow>> {
  const live = sql.fragment`tree
    join locations location on location.org_id = ${db.orgId} and location.id = tree.id
    where location.deleted_at is null`;
  const rows = await db
    .listing({ isBrief: isNear({ limit, offset }), signal })
    .any(sql.type(rowsOf<LocationRow & Listed>())`
    with recursive tree as materialized (${tree})
    select total.total_count, ${SHORT_COLUMNS}, ${textsThatFit(TEXTS, sql.fragment`location.place`)}
    from (select count(*) as total_count from ${live}) total
    left join (
      select location.*, tree.place from ${live}
      order by tree.place
      limit ${limit} offset ${offset}
    ) location on true
    left join ${parentOf(db.orgId)}
    cross join ${TAGGED}
    order by location.place`);
  return pageInPieces(rows, (ids) => readLarge('location', ids));
}
