import { heardEverywhere } from '../../../../base/heard-everywhere.ts';
import type { Database } from '../../../../db/timescale/connections/database.ts';
import { NO_ROWS, sql } from '../../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../../changes/actor.ts';
import { changed, makeChange, unchanged } from '../../../changes/make-change.ts';
import { requireLiveOrganization } from '../../organizations/live-organization.ts';
import { keepAdministrator } from '../keep-administrator.ts';
import { deleteMembership, findRole, insertMembership, membershipEntry } from '../memberships.ts';
import type { Role } from '../roles.ts';
import { forgetDevices } from '../sessions/known-devices.ts';
import { isLinkedElsewhere, lockUser, noUser } from '../stored-user.ts';
import { leaveOnlyProvider } from './leave-only-provider.ts';

export interface RoleOptions {
  userId: number;
  orgId: number;
  role: Role;
  /** True for the command line: a user who is not a member becomes one. Administrators invite. */
  mayJoin?: boolean;
}

export interface Member {
  id: number;
  email: string;
  role: Role;
  /** Became one, and has no other way in than a link to choose a password. */
  needsPassword: boolean;
}

/**
 * Changes what a member may do, from the next request on. The password, sessions and links of a joining user end:
 * somebody else may have made the account, and would act in this organization too. What the identity provider confirms
 * stays.
 *
 * @throws AppError `not_found` (user, organization, membership), `conflict` (last administrator).
 */
export async function setRole(
  db: Database,
  actor: Actor,
  { userId, orgId, role, mayJoin = false }: RoleOptions,
): Promise<Member> {
  const result = await makeChange(db, actor, async (change) => {
    await requireLiveOrganization(change, orgId);
    const user = await lockUser(change, userId);
    const before = await findRole(change, userId, orgId);
    const after = { id: userId, email: user.email, role, needsPassword: false };
    if (before === role) {
      return unchanged(after);
    }
    if (before === null) {
      if (!mayJoin) {
        throw noUser(userId);
      }
      const joined = await insertMembership(change, user, { orgId, role });
      const ended = await leaveOnlyProvider(change, user);
      await forgetDevices(change, userId);
      const needsPassword = !user.is_disabled && !(await isLinkedElsewhere(change, userId));
      return changed({ ...after, needsPassword }, [joined, ...ended]);
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
