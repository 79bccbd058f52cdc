import { AppError } from '../../../base/errors.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { organizationsOf } from './memberships.ts';

export interface UserRow {
  id: number;
  email: string;
  name: string;
  is_disabled: boolean;
}

/** With the password's hash, which is only ever compared. */
export interface StoredUser extends UserRow {
  password: string | null;
}

export function findUser(db: Connection, id: number): Promise<StoredUser | null> {
  return db.maybeOne(sql.prepared('find-user', rowsOf<StoredUser>())`
    select id, email, name, is_disabled, password from users where id = ${id}`);
}

export function findUserByEmail(db: Connection, email: string): Promise<StoredUser | null> {
  return db.maybeOne(sql.prepared('find-user-by-email', rowsOf<StoredUser>())`
    select id, email, name, is_disabled, password from users where email = ${email}`);
}

/**
 * Keeps others from changing the user until the transaction ends.
 *
 * @throws AppError `not_found`.
 */
export async function lockUser(change: Connection, id: number): Promise<StoredUser> {
  const user = await change.maybeOne(sql.prepared('lock-user', rowsOf<StoredUser>())`
    select id, email, name, is_disabled, password from users where id = ${id} for no key update`);
  if (user === null) {
    throw noUser(id);
  }
  return user;
}

/** True for a user without a password, whom the identity provider vouches for. */
export async function signsInByProviderOnly(db: Connection, id: number): Promise<boolean> {
  const row = await db.one(sql.prepared('signs-in-by-provider-only', rowsOf<{ is_only: boolean }>())`
    select subject is not null and password is null as is_only from users where id = ${id}`);
  return row.is_only;
}

/** True if another subject signs in as the user, of this issuer or another. */
export async function isLinkedElsewhere(db: Connection, id: number): Promise<boolean> {
  const row = await db.one(sql.prepared('is-linked-elsewhere', rowsOf<{ is_linked: boolean }>())`
    select subject is not null as is_linked from users where id = ${id}`);
  return row.is_linked;
}

/** @param who an id, or an e-mail address. */
export function noUser(who: number | string): AppError {
  return new AppError('not_found', `User ${who} not found`);
}

/**
 * An administrator of one organization may not take over or lock out a user of another.
 *
 * @param orgId of the caller; null for the command line, which may do anything.
 * @throws AppError `not_found` if the user is not a member, `forbidden` if also a member elsewhere.
 */
export async function requireOwnUser(db: Connection, orgId: number | null, user: UserRow): Promise<void> {
  if (orgId === null) {
    return;
  }
  const organizations = await organizationsOf(db, user.id);
  if (!organizations.includes(orgId)) {
    throw noUser(user.id);
  }
  if (organizations.length > 1) {
    throw new AppError(
      'forbidden',
      `${user.email} is a member of other organizations too. Remove the membership here, or ask the ` +
        `operator to use the command line (${TAGTRAIL} user)`,
    );
  }
}
