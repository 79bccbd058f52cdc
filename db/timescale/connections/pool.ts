import type pg from 'pg';
import { type Pool, poolOf } from './client.ts';
import { type ServiceConnections, serviceConfig } from './service-connections.ts';
import { SilentConnections } from './silent-connections.ts';

/**
 * A pool of `pg`. A lost connection is replaced by the pool; the error handlers keep it from ending the process, while
 * it is idle and while it is in use but between two statements. Whoever uses it then learns of it from the next.
 *
 * @param silent ends connections that will not answer; for requests, which somebody waits for.
 */
export function createPool(config: pg.ClientConfig, max: number, silent?: SilentConnections): Pool {
  const pool = poolOf({ ...config, max });
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => {});
    silent?.watch(client);
  });
  return pool;
}

/** As {@link createWritePool}, for requests: a connection that will not answer is ended within seconds. */
export function createRequestPool(url: string, connections: ServiceConnections): Pool {
  return createPool(serviceConfig(url, connections), connections.max, new SilentConnections(url));
}

/** Connections for the write path: plain `pg`, named statements. */
export function createWritePool(url: string, connections: ServiceConnections): Pool {
  return createPool(serviceConfig(url, connections), connections.max);
}
