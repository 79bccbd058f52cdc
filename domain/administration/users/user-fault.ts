import { AppError } from '../../../base/errors.ts';

export type UserField = 'email' | 'name' | 'password' | 'current_password' | 'new_password';

/** An unacceptable input: the message says why, `field` which. */
export class UserFault extends AppError {
  readonly field: UserField;

  constructor(field: UserField, message: string) {
    super('invalid_input', message);
    this.name = 'UserFault';
    this.field = field;
  }
}
