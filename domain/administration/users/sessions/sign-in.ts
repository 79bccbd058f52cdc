import type { Database } from '../../../../db/timescale/connections/database.ts';
import { changed, makeChange, unchanged } from '../../../changes/make-change.ts';
import { isPassword } from '../passwords/argon2.ts';
import { LONGEST_PASSWORD } from '../passwords/require-password.ts';
import { findUserByEmail, lockUser } from '../stored-user.ts';
import { asStored } from '../user-fields.ts';
import { beginSession, type SessionPlace } from './begin-session.ts';

export interface SignIn extends SessionPlace {
  email: string;
  password: string;
  /** The key of the turn in which a password is computed; the address by default. */
  turn?: string;
  requestId: string;
}

export interface SignedIn {
  userId: number;
  sessionId: number;
  /** For the cookie; the only copy. */
  token: string;
}

/**
 * Begins a session. Unknown accounts, disabled ones and those without a password take as long as a wrong password, and
 * cannot be told from it.
 *
 * @param onRefused gets the account's id; null for an address that no user has.
 * @returns null if it is refused.
 * @throws AppError `timed_out` if too many of that turn wait already.
 */
export async function signIn(
  db: Database,
  given: SignIn,
  onRefused: (userId: number | null) => void = () => {},
): Promise<SignedIn | null> {
  const user = await findUserByEmail(db, storable(asStored(given.email)));
  const password = [...given.password.slice(0, 2 * LONGEST_PASSWORD + 2)]
    .slice(0, LONGEST_PASSWORD + 1)
    .join('');
  const isRight = await isPassword(password, user?.password ?? null, given.turn ?? given.address);
  if (user === null || user.is_disabled || !isRight) {
    onRefused(user?.id ?? null);
    return null;
  }
  return makeChange(db, { type: 'user', id: String(user.id), requestId: given.requestId }, async (change) => {
    const now = await lockUser(change, user.id);
    // Another password was set, or the account disabled, while this one was compared.
    if (now.is_disabled || now.password !== user.password) {
      return unchanged(null);
    }
    const { id, token, entries } = await beginSession(change, now, { ...given, by: 'password' });
    return changed({ userId: user.id, sessionId: id, token }, entries);
  });
}

function storable(text: string): string {
  return text.slice(0, 512).toWellFormed().replaceAll('\u0000', '\uFFFD');
}
