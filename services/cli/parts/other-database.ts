import { AppError } from '../../../base/errors.ts';
import { withDatabase } from '../../../db/timescale/connections/database-url.ts';
import { requireReachable } from '../../../platform/runtime/database.ts';
import { optionalDatabaseUrl } from '../../../platform/runtime/setting-kinds.ts';
import { remedyOfConnection } from '../connections/connection-remedies.ts';

/**
 * @param isNew it may have yet to be created, so that only its server is connected to.
 * @throws AppError naming `--to` unless it is the address of a database that can be connected to.
 */
export async function requireOtherDatabase(to: string, { isNew = false } = {}): Promise<string> {
  const url = optionalDatabaseUrl('').read(to);
  if (url === undefined || url === null) {
    throw new AppError(
      'invalid_input',
      '--to is an address such as postgres://user@host:5432/tagtrail, with the password in PGPASSWORD or a file of PGPASSFILE',
    );
  }
  await requireReachable(isNew ? withDatabase(url, 'postgres') : url, undefined, '--to').catch(
    rethrowWithRemedy,
  );
  return url;
}

function rethrowWithRemedy(error: unknown): never {
  if (error instanceof AppError && error.cause !== undefined) {
    const { code, message, cause } = error;
    throw new AppError(code, `${message}. ${remedyOfConnection(cause, '--to')}`, { cause });
  }
  throw error;
}
