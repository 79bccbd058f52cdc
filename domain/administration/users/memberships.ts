import { AppError } from '../../../base/errors.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { ChangeEntry } from '../../changes/entry.ts';
import type { Change } from '../../changes/make-change.ts';
import { requireRoom } from '../../changes/require-room.ts';
import type { Role } from './roles.ts';
import { deleteLinksOf } from './stored-link.ts';

export async function findRole(db: Connection, userId: number, orgId: number): Promise<Role | null> {
  const row = await db.maybeOne(sql.prepared('find-role', rowsOf<{ role: Role }>())`
    select role from memberships where user_id = ${userId} and org_id = ${orgId}`);
  return row?.role ?? null;
}

/**
 * Invalidates open links that sign in as the user: an administrator may have made one while the user was a member of
 * no other organization, and kept it.
 *
 * @throws AppError `conflict` for a member, or if there are as many as may be.
 */
export async function insertMembership(
  change: Change,
  user: { id: number; email: string },
  { orgId, role }: { orgId: number; role: Role },
): Promise<ChangeEntry> {
  await requireRoom(change, orgId, 'members');
  const count = await change.exec(sql.prepared('insert-membership', NO_ROWS)`
    insert into memberships (user_id, org_id, role) values (${user.id}, ${orgId}, ${role})
    on conflict (user_id, org_id) do nothing`);
  if (count === 0) {
    throw new AppError('conflict', `${user.email} is a member of organization ${orgId} already`);
  }
  await deleteLinksOf(change, user.id);
  return membershipEntry(orgId, user, 'create', null, role);
}

/** Also deletes its row as a recipient of alerts. */
export async function deleteMembership(change: Change, userId: number, orgId: number): Promise<void> {
  await change.exec(sql.prepared('delete-recipient', NO_ROWS)`
    delete from alert_mail_recipients where user_id = ${userId} and org_id = ${orgId}`);
  await change.exec(sql.prepared('delete-membership', NO_ROWS)`
    delete from memberships where user_id = ${userId} and org_id = ${orgId}`);
}

export function membershipEntry(
  orgId: number,
  user: { id: number; email: string },
  action: 'create' | 'update' | 'delete',
  before: Role | null,
  after: Role | null,
): ChangeEntry {
  return {
    orgId,
    action,
    resource: { type: 'membership', id: user.id, externalKey: user.email },
    before: before && { role: before },
    after: after && { role: after },
  };
}

/** Live organizations of a user, in order of their ids. */
export async function organizationsOf(db: Connection, userId: number): Promise<readonly number[]> {
  const rows = await db.any(sql.prepared('organizations-of-user', rowsOf<{ org_id: number }>())`
    select membership.org_id from memberships membership
    join organizations organization on organization.id = membership.org_id and organization.deleted_at is null
    where membership.user_id = ${userId} order by membership.org_id`);
  return rows.map(({ org_id: orgId }) => orgId);
}

/**
 * Changes of a user are logged for each organization of the user, so that its administrators see them; for a user
 * without any, for the installation.
 */
export function forEach(orgIds: readonly number[], entry: Omit<ChangeEntry, 'orgId'>): ChangeEntry[] {
  return (orgIds.length === 0 ? [null] : orgIds).map((orgId) => ({ orgId, ...entry }));
}
