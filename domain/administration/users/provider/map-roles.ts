import { AppError } from '../../../../base/errors.ts';
import { NO_ROWS, sql } from '../../../../db/timescale/queries/sql.ts';
import type { ChangeEntry } from '../../../changes/entry.ts';
import type { Change } from '../../../changes/make-change.ts';
import { findLiveOrganization } from '../../organizations/live-organization.ts';
import { keepAdministrator, type Loss } from '../keep-administrator.ts';
import { deleteMembership, findRole, insertMembership, membershipEntry } from '../memberships.ts';
import type { Role } from '../roles.ts';

/**
 * Gives a user the roles that claims say, in the organizations they decide about. The last administrator of one keeps
 * the role: a slip at the identity provider must not lock everybody out.
 */
export async function mapRoles(
  change: Change,
  user: { id: number; email: string },
  roles: ReadonlyMap<number, Role | null>,
): Promise<ChangeEntry[]> {
  const entries: ChangeEntry[] = [];
  for (const [orgId, role] of roles) {
    const before = await findRole(change, user.id, orgId);
    if (before === role || (await findLiveOrganization(change, orgId)) === null) {
      continue;
    }
    if (before === null && role !== null) {
      entries.push(await insertMembership(change, user, { orgId, role }));
    } else if (await mayLose(change, orgId, user, role === null ? 'be removed' : 'lose the role')) {
      await writeRole(change, orgId, user.id, role);
      entries.push(membershipEntry(orgId, user, role === null ? 'delete' : 'update', before, role));
    }
  }
  return entries;
}

async function mayLose(
  change: Change,
  orgId: number,
  user: { id: number; email: string },
  loss: Loss,
): Promise<boolean> {
  try {
    await keepAdministrator(change, orgId, user, loss);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'conflict') {
      return false;
    }
    throw error;
  }
}

async function writeRole(change: Change, orgId: number, userId: number, role: Role | null): Promise<void> {
  if (role === null) {
    await deleteMembership(change, userId, orgId);
    return;
  }
  await change.exec(sql.prepared('map-role', NO_ROWS)`
    update memberships set role = ${role} where user_id = ${userId} and org_id = ${orgId}`);
}
