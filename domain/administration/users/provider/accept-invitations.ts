import { NO_ROWS, rowsOf, sql } from '../../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../../db/timescale/queries/verbs.ts';
import type { ChangeEntry } from '../../../changes/entry.ts';
import type { Change } from '../../../changes/make-change.ts';
import { GOOD_LINK } from '../links/good-link.ts';
import { findRole, insertMembership } from '../memberships.ts';
import type { Role } from '../roles.ts';

/** True if an address has an open invitation. */
export async function findInvitation(db: Connection, email: string): Promise<boolean> {
  const row = await db.one(sql.prepared('has-invitation', rowsOf<{ has_one: boolean }>())`
    select exists (
      select from user_links link
      join organizations organization on organization.id = link.org_id and organization.deleted_at is null
      where link.purpose = 'invite' and link.email = ${email} and link.used_at is null and link.expires_at > now()
    ) as has_one`);
  return row.has_one;
}

/** Uses up the open invitations of an address that is known to be the user's. */
export async function acceptInvitations(
  change: Change,
  user: { id: number; email: string },
): Promise<ChangeEntry[]> {
  const open = await change.any(sql.prepared(
    'open-invitations',
    rowsOf<{ id: number; org_id: number; role: Role }>(),
  )`
    select link.id, link.org_id, link.role from user_links link
    join organizations organization on organization.id = link.org_id and organization.deleted_at is null
    where link.purpose = 'invite' and link.email = ${user.email} and ${GOOD_LINK}
    order by link.id for update of link`);
  const entries: ChangeEntry[] = [];
  for (const { id, org_id: orgId, role } of open) {
    await change.exec(sql.prepared('use-invitation', NO_ROWS)`
      update user_links set used_at = clock_timestamp() where id = ${id}`);
    if ((await findRole(change, user.id, orgId)) === null) {
      entries.push(await insertMembership(change, user, { orgId, role }));
    }
  }
  return entries;
}
