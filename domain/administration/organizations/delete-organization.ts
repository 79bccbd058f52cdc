import { heardEverywhere } from '../../../base/heard-everywhere.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { type Change, makeChange } from '../../changes/make-change.ts';
import { missing, type OrganizationRow } from './live-organization.ts';

/**
 * Ends an organization: from the next request on its keys, readers and handhelds are refused by every process. What
 * was recorded for it stays in the database.
 *
 * @throws AppError `not_found` if there is no such organization, or it is deleted already.
 */
export async function deleteOrganization(db: Database, actor: Actor, id: number): Promise<OrganizationRow> {
  const deleted = await makeChange(db, actor, (change) => softDelete(change, id));
  if (deleted === null) {
    throw missing(id);
  }
  await heardEverywhere();
  return deleted;
}

function softDelete(change: Change, id: number): Promise<OrganizationRow | null> {
  return change.maybeOne(sql.type(rowsOf<OrganizationRow>())`
    update organizations set deleted_at = now() where id = ${id} and deleted_at is null returning id, name`);
}
