import { append } from '../../../../base/append.ts';
import { AppError } from '../../../../base/errors.ts';
import { heardEverywhere } from '../../../../base/heard-everywhere.ts';
import { TAGTRAIL } from '../../../../base/typed-command.ts';
import type { Database } from '../../../../db/timescale/connections/database.ts';
import { rowsOf, sql } from '../../../../db/timescale/queries/sql.ts';
import type { ChangeEntry } from '../../../changes/entry.ts';
import { type Change, changed, makeChange } from '../../../changes/make-change.ts';
import { setPassword } from '../accounts/change-password.ts';
import { drawUserId, insertUser } from '../create-user.ts';
import { insertMembership } from '../memberships.ts';
import { hashPassword, isPassword } from '../passwords/argon2.ts';
import { requirePassword } from '../passwords/require-password.ts';
import { beginSession, type SessionPlace } from '../sessions/begin-session.ts';
import { forgetDevices } from '../sessions/known-devices.ts';
import type { SignedIn } from '../sessions/sign-in.ts';
import { findUser, lockUser, noUser, type StoredUser } from '../stored-user.ts';
import { emailOf, nameOf, UserFault } from '../user-fields.ts';
import { requireEnabled } from './make-link.ts';
import { lookAtLink, type OpenLink, useLink } from './open-link.ts';

export interface Acceptance extends SessionPlace {
  token: string;
  /** For a new user by a `first` link. */
  email?: string;
  /** For a new user. */
  name?: string;
  /** A new one; together with `newPassword`, the present one. */
  password?: string;
  /** For an invited person who has an account already. */
  newPassword?: string;
  /** The signed-in user: an invited user who is signed in need not give the password. */
  userId?: number;
  requestId: string;
}

/** The accepting person, decided before the transaction, in which no password is hashed. */
type Accepting =
  | { as: 'new'; id: number; email: string; name: string; hash: string }
  | { as: 'known'; user: StoredUser; hash: string | null };

/**
 * Does what the link is for, and signs in.
 *
 * @throws LinkGone, UserFault naming what is missing or refused, AppError `conflict` (somebody else became the first
 * administrator or took the e-mail address first; disabled).
 */
export async function acceptLink(db: Database, given: Acceptance): Promise<SignedIn> {
  const link = await lookAtLink(db, given.token);
  const accepting = await decide(db, link, given);
  const id = accepting.as === 'new' ? accepting.id : accepting.user.id;
  const signedIn = await makeChange(
    db,
    { type: 'user', id: String(id), requestId: given.requestId },
    async (change) => {
      await useLink(change, link.id);
      const done = await carryOut(change, link, accepting);
      const user = { id, email: accepting.as === 'new' ? accepting.email : accepting.user.email };
      const session = await beginSession(change, user, { ...given, by: 'link' });
      return changed({ userId: id, sessionId: session.id, token: session.token }, [
        ...done,
        ...session.entries,
      ]);
    },
  );
  if (accepting.as === 'known') {
    await heardEverywhere();
  }
  return signedIn;
}

async function decide(db: Database, link: OpenLink, given: Acceptance): Promise<Accepting> {
  const user = link.user_id === null ? null : await findUser(db, link.user_id);
  if (link.purpose === 'invite') {
    return invited(db, link, user, given);
  }
  if (link.purpose === 'first') {
    return asNew(db, link, emailOf(given.email ?? ''), given);
  }
  if (user === null) {
    throw noUser(link.user_id ?? 'of the link');
  }
  requireEnabled(user);
  return {
    as: 'known',
    user,
    hash: link.purpose === 'reset' ? await newHash(link, given, user.email) : null,
  };
}

/**
 * The inviter has the link too, and must not act as a user with that address, nor learn whether there is one. So both cases
 * check the fields in the same order, and only an answer that uses the link up tells them apart.
 */
async function invited(
  db: Database,
  link: OpenLink,
  user: StoredUser | null,
  given: Acceptance,
): Promise<Accepting> {
  const email = link.email ?? '';
  const isSignedIn = user !== null && given.userId === user.id;
  if (given.newPassword === undefined && !isSignedIn) {
    const fresh = await asNew(db, link, email, given);
    if (user !== null) {
      throw notThePassword(email);
    }
    return fresh;
  }
  if (!isSignedIn || user.password !== null) {
    await requirePassword(given.newPassword ?? '', email, 'new_password');
  }
  const { password = '' } = given;
  if (!isSignedIn && !(await isPassword(password, user?.password ?? null, turnOf(link)))) {
    throw notThePassword(email);
  }
  if (user === null) {
    throw notThePassword(email);
  }
  requireEnabled(user);
  return { as: 'known', user, hash: await hashOfAnother(link, user, given) };
}

function notThePassword(email: string): UserFault {
  return new UserFault(
    'password',
    `This does not let you in as ${email}. With an account here, give its password and choose another; if somebody else ` +
      `made it, ask the operator for a new one (${TAGTRAIL} user reset)`,
  );
}

/**
 * A user who joins chooses another password, because others may know the present one: an administrator of another
 * organization may have made the account, or a link to set it. Null without a password, for single sign-on only.
 */
async function hashOfAnother(
  link: OpenLink,
  { password: stored }: StoredUser,
  { newPassword = '' }: Acceptance,
): Promise<string | null> {
  if (stored === null) {
    return null;
  }
  if (await isPassword(newPassword, stored, turnOf(link))) {
    throw new UserFault('new_password', 'This is the present password; choose another');
  }
  return hashPassword(newPassword, turnOf(link));
}

async function asNew(db: Database, link: OpenLink, email: string, given: Acceptance): Promise<Accepting> {
  const name = nameOf(given.name ?? '');
  const hash = await newHash(link, given, email);
  return { as: 'new', id: await drawUserId(db), email, name, hash };
}

async function newHash(link: OpenLink, { password = '' }: Acceptance, email: string): Promise<string> {
  await requirePassword(password, email);
  return hashPassword(password, turnOf(link));
}

/** Passwords are computed one at a time for each link, so failed attempts elsewhere delay nobody. */
function turnOf({ id }: OpenLink): string {
  return `link ${id}`;
}

async function carryOut(change: Change, link: OpenLink, accepting: Accepting): Promise<ChangeEntry[]> {
  const user = accepting.as === 'known' ? accepting.user : { id: accepting.id, email: accepting.email };
  const entries: ChangeEntry[] = [];
  if (accepting.as === 'new') {
    entries.push((await insertUser(change, { ...accepting, password: accepting.hash }, link.org_id)).entry);
  } else {
    const now = await lockUser(change, user.id);
    requireEnabled(now);
    if (now.password !== accepting.user.password) {
      throw new AppError('conflict', 'The password was changed meanwhile; nothing was changed');
    }
    if (accepting.hash !== null) {
      append(entries, await setPassword(change, now, accepting.hash, null));
      await forgetDevices(change, now.id);
    }
  }
  if (link.org_id !== null && link.role !== null) {
    if (link.purpose === 'first') {
      await requireNoAdministrator(change, link.org_id);
    }
    entries.push(await insertMembership(change, user, { orgId: link.org_id, role: link.role }));
  }
  return entries;
}

async function requireNoAdministrator(change: Change, orgId: number): Promise<void> {
  const administrator = await change.maybeOne(sql.type(rowsOf<{ user_id: number }>())`
    select user_id from memberships where org_id = ${orgId} and role = 'admin' limit 1`);
  if (administrator !== null) {
    throw new AppError(
      'conflict',
      'The organization has an administrator already, who can invite others; this link is for the first',
    );
  }
}
