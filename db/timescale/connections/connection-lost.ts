import pg from 'pg';
import { messageOf } from '../../../base/errors.ts';

/** The connection was lost, or could not be made: what `pg` says by a plain `Error`, which a bug may throw as well. */
export class ConnectionLost extends Error {
  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
  }
}

/**
 * What `pg` has thrown, with what it says of the connection told apart. Only for what nothing but `pg` can have thrown: a
 * call of it, or what was under way on a connection that is known to be lost.
 */
export function thrownByPg(error: unknown): unknown {
  const isOfConnection = error instanceof Error && OF_CONNECTIONS.includes(error.constructor);
  return isOfConnection ? new ConnectionLost(error) : error;
}

/** The second is Node.js's, where a host has several addresses and none of them answers. */
const OF_CONNECTIONS: readonly unknown[] = [Error, AggregateError];

/**
 * Whether `error` says that the database cannot be reached or does not serve right now, so that the same statement
 * may succeed later. By SQLSTATE class and by kind, never by the message.
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
