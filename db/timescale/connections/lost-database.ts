import pg from 'pg';
import { AppError, DatabaseUnavailable } from '../../../base/errors.ts';
import { isConnectionLost } from './connection-lost.ts';
import { OUTCOME_UNKNOWN } from './transaction.ts';

/**
 * Translates the error of a lost or read-only database for the caller.
 *
 * @param isChanged true if the same request may have changed something before.
 * @throws DatabaseUnavailable, AppError `outcome_unknown`; otherwise the error given.
 */
export function rethrowLost(error: unknown, isChanged = false): never {
  if (isReadOnly(error)) {
    throw new DatabaseUnavailable(READ_ONLY, error);
  }
  if (!isConnectionLost(error)) {
    throw error;
  }
  throw isChanged
    ? new AppError('outcome_unknown', OUTCOME_UNKNOWN, { cause: error })
    : new DatabaseUnavailable(UNREACHABLE, error);
}

const UNREACHABLE = 'The database cannot be reached right now; nothing was changed';
const READ_ONLY = 'The database takes no changes right now; nothing was changed';

/** `read_only_sql_transaction`: a standby, or a server set read-only. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '25006';
}
