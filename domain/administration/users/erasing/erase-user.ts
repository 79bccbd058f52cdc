import { heardEverywhere } from '../../../../base/heard-everywhere.ts';
import type { Database } from '../../../../db/timescale/connections/database.ts';
import type { Actor } from '../../../changes/actor.ts';
import { changed, makeChange } from '../../../changes/make-change.ts';
import { keepAdministrator } from '../keep-administrator.ts';
import { forEach, organizationsOf } from '../organizations-of.ts';
import { lockUser } from '../stored-user.ts';
import { deleteRowsOf, type TableRows } from './delete-rows.ts';
import { makeNameless } from './make-nameless.ts';

export interface ErasedUser {
  id: number;
  deleted: TableRows[];
  /** Rows that stay, without what names the person. */
  nameless: TableRows[];
}

/**
 * Deletes a person for good. What the person did stays in the change log, as of a user with that id, which is never given to
 * another: an organization has to be able to tell what was done to it, and that one and the same did it.
 *
 * @throws AppError `not_found`, `conflict` (last administrator).
 */
export async function eraseUser(db: Database, actor: Actor, userId: number): Promise<ErasedUser> {
  const erased = await makeChange(db, actor, async (change) => {
    const user = await lockUser(change, userId);
    const organizations = await organizationsOf(change, userId);
    for (const orgId of organizations) {
      await keepAdministrator(change, orgId, user, 'be erased');
    }
    const nameless = await makeNameless(change, user);
    const deleted = await deleteRowsOf(change, user);
    return changed(
      { id: userId, deleted, nameless },
      forEach(organizations, {
        action: 'erase',
        resource: { type: 'user', id: userId },
        before: null,
        after: null,
      }),
    );
  });
  await heardEverywhere();
  return erased;
}
