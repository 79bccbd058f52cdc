import pg from 'pg';

/**
 * Whether `error` says that the database cannot be reached or does not serve right now, so that the same statement
 * may succeed later. By SQLSTATE class and by kind, never by the message: what `pg` reports of a connection is a
 * plain `Error`, and nothing else is.
 */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) {
    return PASSING_CLASSES.has((error.code ?? '').slice(0, 2));
  }
  if (error instanceof AggregateError) {
    return error.errors.every(isConnectionLost);
  }
  return error instanceof Error && error.constructor === Error;
}

/**
 * 08 connection exception, 53 insufficient resources (a full disk, too many connections), 57 operator intervention
 * (shutdown, crash recovery, starting up), 58 system error.
 */
const PASSING_CLASSES = new Set(['08', '53', '57', '58']);
