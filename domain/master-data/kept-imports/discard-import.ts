import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { UserActor } from '../../changes/actor.ts';
import { makeChange, unchanged } from '../../changes/make-change.ts';

/** Forgets a file that is not applied. In a transaction: it may wait for one that applies it. @returns false if there is none. */
export function discardImport(db: OrganizationDatabase, actor: UserActor, id: number): Promise<boolean> {
  return makeChange(db, actor, async (transaction) => {
    const row = await transaction.maybeOne(sql.type(rowsOf<{ id: number }>())`
      delete from imports where org_id = ${db.orgId} and id = ${id} and state <> 'applied' returning id`);
    return unchanged(row !== null);
  });
}
