import type pg from 'pg';
import { type Pool, VerbPool } from './client.ts';
import { clientOf } from './pooled-client.ts';
import { type ServiceConfig, type ServiceConnections, serviceConfig } from './service-connections.ts';
import { SilentConnections } from './silent-connections.ts';

/**
 * A `pg` pool. It replaces lost connections; error handlers keep a loss from ending the process, both while
 * the connection is idle and between two statements of a user, whose next statement then fails.
 *
 * @param silent ends connections that will never answer; for requests, which somebody waits for.
 */
export function createPool(config: ServiceConfig, max: number, silent?: SilentConnections): Pool {
  const pool = new VerbPool({
    ...config,
    max,
    Client: clientOf(config) as unknown as new () => pg.Client,
  }) as unknown as Pool;
  pool.on('error', () => {});
  pool.on('connect', (client) => silent?.watch(client));
  return pool;
}

/** {@link createWritePool} for requests: a connection that will never answer is ended within seconds. */
export function createRequestPool(url: string, connections: ServiceConnections): Pool {
  return createPool(serviceConfig(url, connections), connections.max, new SilentConnections(url));
}

export function createWritePool(url: string, connections: ServiceConnections): Pool {
  return createPool(serviceConfig(url, connections), connections.max);
}
