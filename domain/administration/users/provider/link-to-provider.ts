import { NO_ROWS, rowsOf, sql } from '../../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../../db/timescale/queries/verbs.ts';
import type { ChangeEntry } from '../../../changes/entry.ts';
import type { Change } from '../../../changes/make-change.ts';
import { deleteLinksOf } from '../delete-links.ts';
import { forEach, organizationsOf } from '../organizations-of.ts';
import { deleteSessions } from '../sessions/delete-sessions.ts';
import { forgetDevices } from '../sessions/known-devices.ts';
import type { StoredUser } from '../stored-user.ts';

export interface Subject {
  issuer: string;
  subject: string;
}

export function findUserBySubject(db: Connection, { issuer, subject }: Subject): Promise<StoredUser | null> {
  return db.maybeOne(sql.prepared('find-user-by-subject', rowsOf<StoredUser>())`
    select id, email, name, is_disabled, password from users where issuer = ${issuer} and subject = ${subject}`);
}

/**
 * The first time, the user's password, sessions and links end: who set them need not be the person with the address, as
 * whoever invites has the link too.
 */
export async function linkToProvider(
  change: Change,
  user: { id: number; email: string },
  { issuer, subject }: Subject,
): Promise<ChangeEntry[]> {
  const count = await change.exec(sql.prepared('link-to-provider', NO_ROWS)`
    update users set issuer = ${issuer}, subject = ${subject}, password = null, updated_at = now()
    where id = ${user.id} and subject is null`);
  if (count === 0) {
    return [];
  }
  await deleteSessions(change, user.id, null);
  await deleteLinksOf(change, user.id);
  await forgetDevices(change, user.id);
  return forEach(await organizationsOf(change, user.id), {
    action: 'update',
    resource: { type: 'user', id: user.id, externalKey: user.email },
    before: { issuer: null, subject: null },
    after: { issuer, subject, password: 'removed' },
  });
}
