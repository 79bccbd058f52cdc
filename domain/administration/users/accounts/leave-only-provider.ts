import { NO_ROWS, sql } from '../../../../db/timescale/queries/sql.ts';
import type { ChangeEntry } from '../../../changes/entry.ts';
import type { Change } from '../../../changes/make-change.ts';
import { forEach, organizationsOf } from '../memberships.ts';
import { deleteSessions } from '../sessions/end-session.ts';

/**
 * Ends the sessions and the password of somebody who joins an organization other than by the own password: it may have been set
 * by a link that others have had, who would act here too.
 */
export async function leaveOnlyProvider(
  change: Change,
  user: { id: number; email: string },
): Promise<ChangeEntry[]> {
  await deleteSessions(change, user.id, null);
  const count = await change.exec(sql.prepared('remove-password', NO_ROWS)`
    update users set password = null, updated_at = now() where id = ${user.id} and password is not null`);
  return count === 0
    ? []
    : forEach(await organizationsOf(change, user.id), {
        action: 'update',
        resource: { type: 'user', id: user.id, externalKey: user.email },
        before: null,
        after: { password: 'removed' },
      });
}
