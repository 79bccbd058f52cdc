import { AppError } from '../../../base/errors.ts';

export type UserField = 'email' | 'name' | 'password' | 'current_password' | 'new_password';

const EMAIL = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u;

const LONGEST_EMAIL = 254;

/** An e-mail address as it is stored: in lower case. @throws UserFault. */
export function emailOf(text: string): string {
  const email = asStored(text);
  if (!EMAIL.test(email) || [...email].length > LONGEST_EMAIL || !email.isWellFormed()) {
    throw new UserFault('email', 'An e-mail address looks like name@example.com');
  }
  return email;
}

export function asStored(email: string): string {
  return email.trim().toLowerCase();
}

/** A person's name: 1 to 255 characters, none of them a control character. @throws UserFault. */
export function nameOf(text: string): string {
  const name = text.trim();
  const length = [...name].length;
  if (length < 1 || length > 255 || /\p{Cc}/u.test(name) || !name.isWellFormed()) {
    throw new UserFault('name', 'The name of a user has 1 to 255 characters');
  }
  return name;
}

/** An unacceptable input: the message says why, `field` which. */
export class UserFault extends AppError {
  readonly field: UserField;

  constructor(field: UserField, message: string) {
    super('invalid_input', message);
    this.name = 'UserFault';
    this.field = field;
  }
}
