import type pg from 'pg';
import { connectionConfig } from './connection.ts';

/** How long a service waits for the database, in milliseconds. */
export interface Patience {
  /** For a statement to be done; then the database gives it up, and says so. */
  statement: number;
  /**
   * For an answer, behind those to what was sent before. None within this, which is longer, means that the database or
   * the network is gone without a word: the connection is given up with whatever waits on it. (TCP alone goes on
   * sending for a quarter of an hour.)
   */
  answer: number;
}

const PATIENCE: Patience = { statement: 30_000, answer: 60_000 };

/**
 * Milliseconds that a transaction may wait for its next statement. Nothing here thinks for that long: whoever was to send
 * it was cut off, and the rows it holds are wanted by others.
 */
const IDLE_TIMEOUT = 30_000;

/** A few connections, shared by all that a process does. */
export interface ServiceConnections {
  max: number;
  /** What they are called in the database. */
  applicationName?: string;
  /** Null for work of which a statement may take as long as it takes. */
  patience?: Patience | null;
}

/**
 * How such connections are made. Statements that do not wait for each other are sent back to back (`pipeline`; its
 * answers come in order, an error fails its own statement).
 *
 * @param role whom to act as from the start.
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
