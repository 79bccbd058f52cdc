import { type FragmentSqlToken, sql } from 'slonik';
import type { OrganizationConnection } from '../../../db/timescale/organization-door.ts';
import { rowsOf } from '../../../db/timescale/row-queries.ts';
import { type Page, type Paging, pageOf } from '../../shared/http/lists.ts';
import { COLUMNS, PARENT } from './queries.ts';
import type { LocationRow } from './view.ts';

/** Where a location comes among its siblings: letter case aside, and no two alike. */
function siblingOrder(table: string): FragmentSqlToken {
  const column = (name: string) => sql.identifier([table, name]);
  return sql.fragment`array[
    lower(${column('external_key')}), ${column('external_key')}, lpad(${column('id')}::text, 10, '0') collate "C"]`;
}

/** The chain from a location's parent to its root, nearest first. */
export function listAncestors(connection: OrganizationConnection, id: number, paging: Paging) {
  const tree = sql.fragment`
    select parent_id as id, 1 as place from locations where org_id = ${connection.orgId} and id = ${id}
    union all
    select location.parent_id, tree.place + 1 from tree
    join locations location on location.org_id = ${connection.orgId} and location.id = tree.id`;
  return listTree(connection, tree, paging);
}

/** The locations directly below one. */
export function listChildren(connection: OrganizationConnection, id: number, paging: Paging) {
  const tree = sql.fragment`
    select location.id, ${siblingOrder('location')} as place from locations location
    where location.org_id = ${connection.orgId} and location.parent_id = ${id}`;
  return listTree(connection, tree, paging);
}

/** Everything below a location, depth first. */
export function listDescendants(connection: OrganizationConnection, id: number, paging: Paging) {
  return listTree(connection, below(connection, id), paging);
}

/** How many live locations are below one. */
export async function countDescendants(connection: OrganizationConnection, id: number): Promise<number> {
  const { count } = await connection.one(sql.type(rowsOf<{ count: number }>())`
    with recursive tree as (${below(connection, id)})
    select count(*) from tree
    join locations location on location.org_id = ${connection.orgId} and location.id = tree.id
    where location.deleted_at is null`);
  return count;
}

/** A location's place is its parent's place and then its own, so sorting by place walks the tree depth first. */
function below(connection: OrganizationConnection, id: number): FragmentSqlToken {
  return sql.fragment`
    select child.id, ${siblingOrder('child')} as place from locations child
    where child.org_id = ${connection.orgId} and child.parent_id = ${id}
    union all
    select child.id, tree.place || ${siblingOrder('child')} from tree
    join locations child on child.org_id = ${connection.orgId} and child.parent_id = tree.id`;
}

/** @param tree the ids and their places; it may refer to itself as `tree`. */
async function listTree(
  connection: OrganizationConnection,
  tree: FragmentSqlToken,
  { limit, offset }: Paging,
): Promise<Page<LocationRow>> {
  const live = sql.fragment`tree
    join locations location on location.org_id = ${connection.orgId} and location.id = tree.id
    where location.deleted_at is null`;
  const rows = await connection.any(sql.type(rowsOf<LocationRow & { total_count: number }>())`
    with recursive tree as (${tree})
    select total.total_count, ${COLUMNS}
    from (select count(*) as total_count from ${live}) total
    left join (
      select location.*, tree.place from ${live}
      order by tree.place
      limit ${limit} offset ${offset}
    ) location on true
    left join ${PARENT}
    order by location.place`);
  return pageOf(rows);
}
