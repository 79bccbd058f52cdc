import pg from 'pg';
import { createPool, type DatabasePool } from 'slonik';
import { connectionConfig, sessionOptions, TYPE_PARSERS } from './connection.ts';

/**
 * Connections for the write path: plain `pg`, named statements, and statements that do not wait for each other sent
 * back to back (`pipeline`; its answers come in order, an error fails its own statement). A lost connection is
 * replaced by the pool; the error handlers keep it from ending the process, while it is idle and while it is in use
 * but between two statements. Whoever uses it then learns of it from the next.
 */
export function createWritePool(url: string, options: { max: number; applicationName?: string }): pg.Pool {
  const config = { ...connectionConfig(url, options.applicationName), max: options.max, pipeline: true };
  const pool = new pg.Pool(config);
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/**
 * Connections for composable queries. slonik's default sends `DISCARD ALL` whenever a connection is released, at 0.6
 * of the throughput; it is off, so no query may leave session state behind.
 */
export function createQueryPool(url: string, options: { max: number; role?: string }): Promise<DatabasePool> {
  const uri = new URL(url);
  uri.searchParams.set('options', sessionOptions(options.role));
  uri.searchParams.set('application_name', 'tagtrail api');
  return createPool(uri.href, {
    captureStackTrace: false,
    connectionTimeout: 5_000,
    idleTimeout: 'DISABLE_TIMEOUT',
    maxPoolSize: options.max,
    resetConnection: async () => {},
    statementTimeout: 30_000,
    typeParsers: TYPE_PARSERS,
  });
}
