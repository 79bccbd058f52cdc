import { addressesOf } from './addresses.ts';
import { type ConnectionConfig, configOf, sessionSettings } from './connection.ts';
import { asOptions, type SessionSettings } from './session-settings.ts';

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
  /** Milliseconds that a statement waits for a lock of another session; unlimited by default. */
  lockTimeout?: number;
  /** Null for work whose statements may take any time. */
  patience?: Patience | null;
}

export interface ServiceConfig extends ConnectionConfig {
  /** Settings for each transaction to begin with, as a pooler keeps none for a session. Absent without a pooler. */
  eachTransaction?: SessionSettings;
}

/**
 * Configuration of pipelined service connections: answers come in order, and an error fails its own statement
 * only. They lead through the pooler, if the address has one.
 *
 * @param role acts as this role.
 * @param settings further ones.
 */
export function serviceConfig(
  address: string,
  { applicationName, lockTimeout = 0, patience = PATIENCE }: ServiceConnections,
  role?: string,
  settings: SessionSettings = {},
): ServiceConfig {
  const { direct, pooled } = addressesOf(address);
  const all = {
    idle_in_transaction_session_timeout: String(IDLE_TIMEOUT),
    ...(patience === null ? {} : { statement_timeout: String(patience.statement) }),
    ...(lockTimeout === 0 ? {} : { lock_timeout: String(lockTimeout) }),
    ...settings,
  };
  const own = sessionSettings(role);
  const config = {
    ...configOf(pooled ?? direct, applicationName, pooled === null ? asOptions(own) : ''),
    ...(patience === null ? {} : { query_timeout: patience.answer }),
    pipeline: true,
  };
  return pooled === null ? withSettings(config, all) : { ...config, eachTransaction: { ...own, ...all } };
}

/** The configuration with more settings. */
export function withSettings(config: ServiceConfig, settings: SessionSettings): ServiceConfig {
  const { eachTransaction, options = '' } = config;
  return eachTransaction === undefined
    ? { ...config, options: `${options} ${asOptions(settings)}` }
    : { ...config, eachTransaction: { ...eachTransaction, ...settings } };
}
