import { heardEverywhere } from '../../../base/heard-everywhere.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { NO_ROWS, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { changed, makeChange, unchanged } from '../../changes/make-change.ts';
import { requireLiveOrganization } from '../organizations/live-organization.ts';
import { keepAdministrator } from './keep-administrator.ts';
import { deleteMembership, findRole, insertMembership, membershipEntry } from './memberships.ts';
import type { Role } from './roles.ts';
import { lockUser, noUser } from './stored-user.ts';

export interface RoleOptions {
  userId: number;
  orgId: number;
  role: Role;
  /** True for the command line: a user who is no member becomes one. An administrator invites. */
  mayJoin?: boolean;
}

/**
 * Changes what a member may do, from the next request on.
 *
 * @throws AppError `not_found` (user, organization, membership), `conflict` (last administrator).
 */
export async function setRole(
  db: Database,
  actor: Actor,
  { userId, orgId, role, mayJoin = false }: RoleOptions,
): Promise<{ id: number; email: string; role: Role }> {
  const result = await makeChange(db, actor, async (change) => {
    await requireLiveOrganization(change, orgId);
    const user = await lockUser(change, userId);
    const before = await findRole(change, userId, orgId);
    const after = { id: userId, email: user.email, role };
    if (before === role) {
      return unchanged(after);
    }
    if (before === null) {
      if (!mayJoin) {
        throw noUser(userId);
      }
      return changed(after, [await insertMembership(change, user, { orgId, role })]);
    }
    await keepAdministrator(change, orgId, user, 'lose the role');
    await change.exec(sql.prepared('set-role', NO_ROWS)`
      update memberships set role = ${role} where user_id = ${userId} and org_id = ${orgId}`);
    return changed(after, [membershipEntry(orgId, user, 'update', before, role)]);
  });
  await heardEverywhere();
  return result;
}

/**
 * Ends a membership, from the next request on; the user stays, perhaps as a member of others.
 *
 * @throws AppError `not_found` (membership), `conflict` (last administrator).
 */
export async function removeMembership(
  db: Database,
  actor: Actor,
  { userId, orgId }: { userId: number; orgId: number },
): Promise<{ id: number; email: string }> {
  const result = await makeChange(db, actor, async (change) => {
    const user = await lockUser(change, userId);
    const before = await findRole(change, userId, orgId);
    if (before === null) {
      throw noUser(user.email);
    }
    await keepAdministrator(change, orgId, user, 'be removed');
    await deleteMembership(change, userId, orgId);
    return changed({ id: userId, email: user.email }, [membershipEntry(orgId, user, 'delete', before, null)]);
  });
  await heardEverywhere();
  return result;
}
