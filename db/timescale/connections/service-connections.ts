import type pg from 'pg';
import { connectionConfig } from './connection.ts';

/** Milliseconds a service waits for the database. */
export interface Patience {
  /** Statement timeout: the database cancels the statement and reports it. */
  statement: number;
  /**
   * Time for an answer, including those to earlier statements; longer than `statement`. Silence beyond it
   * means that the database or network is gone: the connection is dropped, and everything waiting on it
   * fails. (TCP alone retransmits for a quarter of an hour.)
   */
  answer: number;
}

const PATIENCE: Patience = { statement: 30_000, answer: 60_000 };

/**
 * Milliseconds for `idle_in_transaction_session_timeout`. No transaction here is idle that long: the client
 * was cut off, and its locks block others.
 */
const IDLE_TIMEOUT = 30_000;

export interface ServiceConnections {
  max: number;
  applicationName?: string;
  /** Null for work whose statements may take any time. */
  patience?: Patience | null;
}

/**
 * Configuration of pipelined service connections: answers come in order, and an error fails its own statement
 * only.
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
