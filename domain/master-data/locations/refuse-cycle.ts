import { conflict } from '../../../base/errors.ts';
import { ORGANIZATION_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';

/** Serializes moves of an organization's locations: two could close a cycle together. */
export async function lockTree(transaction: OrganizationConnection): Promise<void> {
  await transaction.exec(sql.prepared('lock-tree', NO_ROWS)`
    select pg_advisory_xact_lock(${ORGANIZATION_LOCKS.tree}::integer, ${transaction.orgId}::integer)`);
}

/**
 * A location cannot be below itself. Holds while {@link lockTree} does.
 *
 * @throws AppError `conflict` if the parent is the location, or below it.
 */
export async function refuseCycle(
  transaction: OrganizationConnection,
  id: number,
  parentId: number,
): Promise<void> {
  if (parentId === id) {
    throw conflict(`parent_id ${parentId} would create a self-referential cycle`);
  }
  if (await isWithin(transaction, parentId, id)) {
    throw conflict(`parent_id ${parentId} would create a cycle through location ${id}`);
  }
}

/** Also true for the location itself. */
async function isWithin(
  transaction: OrganizationConnection,
  id: number,
  ancestorId: number,
): Promise<boolean> {
  const rows = await transaction.any(sql.prepared('is-within', rowsOf<{ id: number }>())`
    with recursive chain (id, parent_id) as (
      select id, parent_id from locations where org_id = ${transaction.orgId} and id = ${id}
      union
      select parent.id, parent.parent_id from chain
      join locations parent on parent.org_id = ${transaction.orgId} and parent.id = chain.parent_id
    )
    select id from chain where id = ${ancestorId}`);
  return rows.length > 0;
}
