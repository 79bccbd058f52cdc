import { heardEverywhere } from '../../../../base/heard-everywhere.ts';
import type { Database } from '../../../../db/timescale/connections/database.ts';
import { NO_ROWS, sql } from '../../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../../changes/actor.ts';
import { changed, makeChange, unchanged } from '../../../changes/make-change.ts';
import { keepAdministrator } from '../keep-administrator.ts';
import { forEach, organizationsOf } from '../memberships.ts';
import { deleteSessions } from '../sessions/end-session.ts';
import { deleteLinksOf } from '../stored-link.ts';
import { lockUser, requireOwnUser, type UserRow } from '../stored-user.ts';

export interface DisabledOptions {
  userId: number;
  isDisabled: boolean;
  /** The calling administrator's organization; null for the command line. */
  orgId: number | null;
}

/**
 * A disabled user cannot sign in; all sessions end with the next request. Memberships stay, for when the user is
 * enabled again.
 *
 * @throws AppError `not_found`, `forbidden` (member of other organizations), `conflict` (last administrator).
 */
export async function setDisabled(
  db: Database,
  actor: Actor,
  { userId, isDisabled, orgId }: DisabledOptions,
): Promise<UserRow> {
  const result = await makeChange(db, actor, async (change) => {
    const { password: _, ...user } = await lockUser(change, userId);
    await requireOwnUser(change, orgId, user);
    if (user.is_disabled === isDisabled) {
      return unchanged(user);
    }
    const organizations = await organizationsOf(change, userId);
    if (isDisabled) {
      for (const id of organizations) {
        await keepAdministrator(change, id, user, 'be disabled');
      }
      await deleteSessions(change, userId, null);
      await deleteLinksOf(change, userId);
    }
    await change.exec(sql.prepared('set-user-disabled', NO_ROWS)`
      update users set is_disabled = ${isDisabled}, updated_at = now() where id = ${userId}`);
    return changed(
      { ...user, is_disabled: isDisabled },
      forEach(organizations, {
        action: 'update',
        resource: { type: 'user', id: userId, externalKey: user.email },
        before: { is_disabled: !isDisabled },
        after: { is_disabled: isDisabled },
      }),
    );
  });
  await heardEverywhere();
  return result;
}
