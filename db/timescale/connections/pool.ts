import pg from 'pg';
import type { DatabasePool } from 'slonik';
import { sessionOptions, TYPE_PARSERS } from './connection.ts';
import { type ServiceConnections, serviceConfig } from './service-connections.ts';
import { SilentConnections } from './silent-connections.ts';

/**
 * A pool of `pg`. A lost connection is replaced by the pool; the error handlers keep it from ending the process, while
 * it is idle and while it is in use but between two statements. Whoever uses it then learns of it from the next.
 *
 * @param silent ends connections that will not answer; for requests, which somebody waits for.
 */
export function createPool(config: pg.ClientConfig, max: number, silent?: SilentConnections): pg.Pool {
  const pool = new pg.Pool({ ...config, max });
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => {});
    silent?.watch(client);
  });
  return pool;
}

/** As {@link createWritePool}, for requests: a connection that will not answer is ended within seconds. */
export function createRequestPool(url: string, connections: ServiceConnections): pg.Pool {
  return createPool(serviceConfig(url, connections), connections.max, new SilentConnections(url));
}

/** Connections for the write path: plain `pg`, named statements. */
export function createWritePool(url: string, connections: ServiceConnections): pg.Pool {
  return createPool(serviceConfig(url, connections), connections.max);
}

/**
 * Connections for composable queries. slonik's default sends `DISCARD ALL` whenever a connection is released, at 0.6
 * of the throughput; it is off, so no query may leave session state behind.
 */
export async function createQueryPool(url: string, { max }: { max: number }): Promise<DatabasePool> {
  // Here and not above: services, which do without, take this file's other pools.
  const { createPool: createSlonikPool } = await import('slonik');
  const uri = new URL(url);
  uri.searchParams.set('options', sessionOptions());
  uri.searchParams.set('application_name', 'tagtrail');
  return createSlonikPool(uri.href, {
    captureStackTrace: false,
    connectionTimeout: 5_000,
    idleTimeout: 'DISABLE_TIMEOUT',
    maxPoolSize: max,
    resetConnection: async () => {},
    statementTimeout: 30_000,
    typeParsers: TYPE_PARSERS,
  });
}
