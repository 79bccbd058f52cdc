import { AppError } from '../../../base/errors.ts';
import { optionalDatabaseUrl } from '../../../platform/runtime/setting-kinds.ts';

/** @throws AppError `invalid_input` unless `--to` is the address of a database. */
export function requireOtherCell(to: string): string {
  const url = optionalDatabaseUrl('').read(to);
  if (url === undefined || url === null) {
    throw new AppError(
      'invalid_input',
      '--to is an address such as postgres://user@host:5432/tagtrail, with the password in PGPASSWORD or a file of PGPASSFILE',
    );
  }
  return url;
}
