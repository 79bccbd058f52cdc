import { AppError } from '../../../../base/errors.ts';
import { heardEverywhere } from '../../../../base/heard-everywhere.ts';
import type { Database } from '../../../../db/timescale/connections/database.ts';
import { NO_ROWS, sql } from '../../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../../changes/actor.ts';
import type { ChangeEntry } from '../../../changes/entry.ts';
import { type Change, changed, makeChange } from '../../../changes/make-change.ts';
import { forEach, organizationsOf } from '../memberships.ts';
import { hashPassword, isPassword } from '../passwords/argon2.ts';
import { requirePassword } from '../passwords/require-password.ts';
import { deleteSessions } from '../sessions/end-session.ts';
import { deleteLinksOf } from '../stored-link.ts';
import { findUser, lockUser, noUser } from '../stored-user.ts';
import { UserFault } from '../user-fields.ts';

export interface PasswordChange {
  userId: number;
  /** Required again, because the screen may have been left open. */
  currentPassword: string;
  password: string;
  /** The calling session, which continues; all others end. */
  sessionId: number;
}

/** @throws UserFault (`password`, `current_password`), AppError `not_found`. */
export async function changePassword(
  db: Database,
  actor: Actor,
  { userId, currentPassword, password, sessionId }: PasswordChange,
): Promise<void> {
  const turn = `session ${sessionId}`;
  const user = await findUser(db, userId);
  if (user === null) {
    throw noUser(userId);
  }
  if (!(await isPassword(currentPassword, user.password, turn))) {
    throw new UserFault('current_password', 'This is not your password');
  }
  await requirePassword(password, user.email);
  const hash = await hashPassword(password, turn);
  await makeChange(db, actor, async (change) => {
    const now = await lockUser(change, userId);
    if (now.password !== user.password) {
      throw new AppError('conflict', 'The password was changed meanwhile; nothing was changed');
    }
    return changed(undefined, await setPassword(change, now, hash, sessionId));
  });
  await heardEverywhere();
}

/** Sets the password of a locked user. All sessions end but one, and open links for a password with them. */
export async function setPassword(
  change: Change,
  user: { id: number; email: string },
  hash: string,
  exceptSessionId: number | null,
): Promise<ChangeEntry[]> {
  await change.exec(sql.prepared('set-password', NO_ROWS)`
    update users set password = ${hash}, updated_at = now() where id = ${user.id}`);
  const ended = await deleteSessions(change, user.id, exceptSessionId);
  await deleteLinksOf(change, user.id);
  return forEach(await organizationsOf(change, user.id), {
    action: 'update',
    resource: { type: 'user', id: user.id, externalKey: user.email },
    before: null,
    after: { password: 'changed', sessions_ended: ended },
  });
}
