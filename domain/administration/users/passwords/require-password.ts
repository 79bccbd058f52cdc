import { UserFault, type UserField } from '../user-fault.ts';
import { isMostUsed } from './most-used.ts';

const SHORTEST = 12;
/** Bounds what is hashed. */
export const LONGEST_PASSWORD = 256;

/**
 * Refuses passwords that are tried first. No rules about kinds of characters: they make passwords hard to remember and
 * no harder to guess (NIST SP 800-63B, 3.1.1.2).
 *
 * @throws UserFault of the field.
 */
export async function requirePassword(
  password: string,
  email: string,
  field: UserField = 'password',
): Promise<void> {
  const length = [...password].length;
  if (length < SHORTEST || length > LONGEST_PASSWORD || !password.isWellFormed()) {
    throw new UserFault(
      field,
      `A password has ${SHORTEST} to ${LONGEST_PASSWORD} characters; this one has ${length}`,
    );
  }
  if (isOfAddress(password, email)) {
    throw new UserFault(field, 'This password is the e-mail address; choose another');
  }
  if (await isMostUsed(password)) {
    throw new UserFault(
      field,
      'This password is, or begins with, one of the most used, which are tried first; several words of your own are better',
    );
  }
}

function isOfAddress(password: string, email: string): boolean {
  const [local = ''] = email.split('@');
  const given = password.toLowerCase();
  return given === email || given.replace(/[^\p{L}]+$/u, '') === local;
}
