import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { OrganizationChange } from '../../changes/make-change.ts';
import { nextUpdate } from '../clauses.ts';
import { findLiveByKeys, type KeyedRow } from '../live-by-key.ts';
import { lockRows } from './stored-rows.ts';

/** Locks live locations by key, so that they stay live until the transaction ends. */
export async function lockParents(
  transaction: OrganizationConnection,
  externalKeys: readonly string[],
): Promise<readonly KeyedRow[]> {
  const found = await findLiveByKeys(transaction, 'location', transaction.orgId, externalKeys);
  const locked = new Set(found.map(({ id }) => id));
  await lockRows(transaction, 'location', [...locked], 'reference');
  // A location deleted while this waited for its lock does not count.
  return (await findLiveByKeys(transaction, 'location', transaction.orgId, externalKeys)).filter(({ id }) =>
    locked.has(id),
  );
}

export interface Placed extends KeyedRow {
  parent_id: number | null;
}

/** Locations with their ancestors; each level is looked up by itself, as in `locations/list-tree.ts`. */
export function listUpwards(
  transaction: OrganizationConnection,
  ids: readonly number[],
): Promise<readonly Placed[]> {
  return transaction.any(sql.type(rowsOf<Placed>())`
    with recursive chain (id, external_key, parent_id) as (
      select stored.* from unnest(${sql.array(ids, 'int4')}) as given (id) cross join lateral (
        select id, external_key, parent_id from locations
        where org_id = ${transaction.orgId} and id = given.id offset 0
      ) stored
      union
      select above.* from chain cross join lateral (
        select id, external_key, parent_id from locations
        where org_id = ${transaction.orgId} and id = chain.parent_id offset 0
      ) above
    )
    select id, external_key, parent_id from chain`);
}

/**
 * Sets parents. Written as an upsert, for the same reason as in `updateRows`.
 *
 * @param isMove false for rows created by this transaction.
 */
export async function writeParents(
  transaction: OrganizationChange,
  links: readonly { id: number; parentId: number }[],
  isMove: boolean,
): Promise<void> {
  const ids = (of: (link: { id: number; parentId: number }) => number) => sql.array(links.map(of), 'int4');
  await transaction.exec(sql.type(NO_ROWS)`
    insert into locations as stored (org_id, id, external_key, name, parent_id)
    overriding system value
    select ${transaction.orgId}, given.id, found.external_key, found.name, given.parent_id
    from unnest(${ids(({ id }) => id)}, ${ids(({ parentId }) => parentId)}) as given (id, parent_id)
    cross join lateral (
      select external_key, name from locations
      where org_id = ${transaction.orgId} and id >= given.id order by id limit 1
    ) found
    on conflict (org_id, id) do update set
      parent_id = excluded.parent_id,
      updated_at = case when ${isMove}::boolean
        then ${nextUpdate(sql.fragment`stored.updated_at`)} else stored.updated_at end`);
}
