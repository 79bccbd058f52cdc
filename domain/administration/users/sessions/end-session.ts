import { AppError } from '../../../../base/errors.ts';
import { heardEverywhere } from '../../../../base/heard-everywhere.ts';
import type { Database } from '../../../../db/timescale/connections/database.ts';
import { NO_ROWS, sql } from '../../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../../changes/actor.ts';
import { type Change, changed, makeChange } from '../../../changes/make-change.ts';
import { forEach, organizationsOf } from '../memberships.ts';
import { findUser } from '../stored-user.ts';

/**
 * Ends a session of the user, by signing out or from the list, with the next request in every process.
 *
 * @throws AppError `not_found` if the user has no such session.
 */
export async function endSession(
  db: Database,
  actor: Actor,
  { userId, sessionId }: { userId: number; sessionId: number },
): Promise<void> {
  await makeChange(db, actor, async (change) => {
    const count = await change.exec(sql.prepared('delete-session', NO_ROWS)`
      delete from sessions where id = ${sessionId} and user_id = ${userId}`);
    if (count === 0) {
      throw new AppError('not_found', 'Session not found');
    }
    const user = await findUser(change, userId);
    return changed(
      undefined,
      forEach(await organizationsOf(change, userId), {
        action: 'sign_out',
        resource: { type: 'session', id: sessionId, externalKey: user?.email ?? null },
        before: { user_id: userId },
        after: null,
      }),
    );
  });
  await heardEverywhere();
}

/** Ends a user's sessions. @param exceptId the one to keep; null for none. */
export async function deleteSessions(
  change: Change,
  userId: number,
  exceptId: number | null,
): Promise<number> {
  return change.exec(sql.prepared('delete-sessions-of-user', NO_ROWS)`
    delete from sessions where user_id = ${userId} and id is distinct from ${exceptId}::bigint`);
}
