import pg from 'pg';
import { messageOf } from '../../../base/errors.ts';

/** The connection was lost or could not be made, which `pg` reports by a plain `Error`, as a bug might. */
export class ConnectionLost extends Error {
  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
  }
}

/**
 * Classifies an error of `pg`. Only for errors that cannot have another origin: from a call of `pg`, or on a
 * connection known to be lost.
 */
export function thrownByPg(error: unknown): unknown {
  const isOfConnection = error instanceof Error && OF_CONNECTIONS.includes(error.constructor);
  return isOfConnection ? new ConnectionLost(error) : error;
}

/** Node.js throws the second if none of a host's addresses answers. */
const OF_CONNECTIONS: readonly unknown[] = [Error, AggregateError];

/**
 * True if the database is unreachable or not serving right now, so that the same statement may succeed later.
 * By SQLSTATE class and error class, never by message.
 */
export function isConnectionLost(error: unknown): boolean {
  return error instanceof pg.DatabaseError
    ? PASSING_CLASSES.has((error.code ?? '').slice(0, 2))
    : error instanceof ConnectionLost;
}

/**
 * 08 connection exception, 53 insufficient resources (a full disk, too many connections), 57 operator intervention
 * (shutdown, crash recovery, starting up), 58 system error.
 */
const PASSING_CLASSES = new Set(['08', '53', '57', '58']);
