import { heardEverywhere } from '../../../base/heard-everywhere.ts';
import { wireTime } from '../../../base/timestamps.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { type Change, changed, makeChange, unchanged } from '../../changes/make-change.ts';
import { missing, type OrganizationRow } from './live-organization.ts';

/**
 * Soft-deletes an organization: from the next request on, every process refuses its keys, readers and
 * handhelds. Its data stays in the database.
 *
 * @throws AppError `not_found` if it does not exist or is deleted already.
 */
export async function deleteOrganization(db: Database, actor: Actor, id: number): Promise<OrganizationRow> {
  const deleted = await makeChange(db, actor, async (change) => {
    const row = await softDelete(change, id);
    if (row === null) {
      return unchanged(null);
    }
    const { deleted_at: deletedAt, ...organization } = row;
    return changed(organization, [
      {
        orgId: id,
        action: 'delete',
        resource: { type: 'organization', id },
        before: { deleted_at: null },
        after: { deleted_at: wireTime(deletedAt) },
      },
    ]);
  });
  if (deleted === null) {
    throw missing(id);
  }
  await heardEverywhere();
  return deleted;
}

function softDelete(change: Change, id: number): Promise<(OrganizationRow & { deleted_at: string }) | null> {
  return change.maybeOne(sql.type(rowsOf<OrganizationRow & { deleted_at: string }>())`
    update organizations set deleted_at = now() where id = ${id} and deleted_at is null returning id, name, deleted_at`);
}
