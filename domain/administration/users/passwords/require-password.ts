import { UserFault, type UserField } from '../user-fields.ts';

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
      'This password is one of the most used, or begins with one; choose several words of your own',
    );
  }
}

function isOfAddress(password: string, email: string): boolean {
  const [local = ''] = email.split('@');
  const given = password.toLowerCase();
  return given === email || given.replace(/[^\p{L}]+$/u, '') === local;
}

/**
 * True for one of the 49,000 most used passwords, in any case, also with digits or signs appended: most long ones are a
 * short one extended. The list is loaded in 30 ms when a password is set.
 */
async function isMostUsed(password: string): Promise<boolean> {
  mostUsed ??= load();
  const list = await mostUsed;
  const given = password.normalize('NFKC').toLowerCase();
  const words = given.replace(/[^\p{L}]+$/u, '');
  return list.has(given) || list.has(words) || new Set(given).size < FEWEST_CHARACTERS;
}

/** `aaaaaaaaaaaa`, `121212121212`. */
const FEWEST_CHARACTERS = 4;

let mostUsed: Promise<ReadonlySet<string>> | null = null;

async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common']);
}
