import { AppError } from '../../../base/errors.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Change } from '../../changes/make-change.ts';

/** The change that ends somebody's role as administrator; for the message. */
export type Loss = 'lose the role' | 'be removed' | 'be disabled' | 'be erased';

/**
 * Refuses to leave an organization without an administrator who can sign in. Of two who remove each other at once, one
 * succeeds: the rows of all administrators are locked in order, and counted by a later statement, which sees the
 * other's commit.
 *
 * @throws AppError `conflict` with the remedy.
 */
export async function keepAdministrator(
  change: Change,
  orgId: number,
  user: { id: number; email: string },
  loss: Loss,
): Promise<void> {
  const locked = await change.any(sql.prepared('lock-administrators', rowsOf<{ user_id: number }>())`
    select user_id from memberships where org_id = ${orgId} and role = 'admin' order by user_id for update`);
  if (!locked.some(({ user_id: id }) => id === user.id)) {
    return;
  }
  const other = await change.maybeOne(sql.prepared('find-other-administrator', rowsOf<{ user_id: number }>())`
    select membership.user_id from memberships membership
    join users administrator on administrator.id = membership.user_id and not administrator.is_disabled
    where membership.org_id = ${orgId} and membership.role = 'admin' and membership.user_id <> ${user.id} limit 1`);
  if (other === null) {
    throw new AppError(
      'conflict',
      `${user.email} is the last administrator of organization ${orgId} and cannot ${loss}; make another user an administrator first`,
    );
  }
}
