import type pg from 'pg';
import { connectionConfig } from './connection.ts';

/** Milliseconds a service waits for the database. */
export interface Patience {
  /** For a statement; then the database cancels it and says so. */
  statement: number;
  /**
   * For an answer, those to earlier statements included; longer than the former. Silence beyond it means that the
   * database or network is gone: the connection is given up with whatever waits on it. (TCP alone retransmits for a
   * quarter of an hour.)
   */
  answer: number;
}

const PATIENCE: Patience = { statement: 30_000, answer: 60_000 };

/**
 * Milliseconds for `idle_in_transaction_session_timeout`. Nothing here thinks for that long: the client was cut off,
 * and others want the rows it locks.
 */
const IDLE_TIMEOUT = 30_000;

export interface ServiceConnections {
  max: number;
  applicationName?: string;
  /** Null for work whose statements may take any time. */
  patience?: Patience | null;
}

/**
 * Configuration of such connections, pipelined: answers come in order, and an error fails its own statement.
 *
 * @param role acts as this role from the start.
 */
export function serviceConfig(
  url: string,
  { applicationName, patience = PATIENCE }: ServiceConnections,
  role?: string,
): pg.ClientConfig {
  return {
    ...connectionConfig(url, applicationName, role),
    idle_in_transaction_session_timeout: IDLE_TIMEOUT,
    ...(patience === null ? {} : { statement_timeout: patience.statement, query_timeout: patience.answer }),
    pipeline: true,
  };
}
