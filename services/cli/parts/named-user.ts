import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { asStored } from '../../../domain/administration/users/given.ts';
import { findUserByEmail, noUser, type UserRow } from '../../../domain/administration/users/stored-user.ts';

/** Users are named by e-mail address. @throws AppError `not_found`. */
export async function namedUser(db: Connection, email: string): Promise<UserRow> {
  const user = await findUserByEmail(db, asStored(email));
  if (user === null) {
    throw noUser(email);
  }
  return { id: user.id, email: user.email, name: user.name, is_disabled: user.is_disabled };
}
