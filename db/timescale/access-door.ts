import { createPool } from './pool.ts';
import { type RowQueries, rowQueries } from './row-queries.ts';
import { type ServiceConnections, serviceConfig } from './service-connections.ts';

/**
 * The door to credentials: whoever comes through it is `tagtrail_access`, which sees those of every organization, to
 * find out which organization asks, and nothing else.
 */
export interface AccessDoor extends RowQueries {
  end(): Promise<void>;
}

export function openAccessDoor(url: string, connections: ServiceConnections): AccessDoor {
  const pool = createPool(serviceConfig(url, connections, ACCESS_ROLE), connections.max);
  return { ...rowQueries((query) => pool.query(query)), end: () => pool.end() };
}

const ACCESS_ROLE = 'tagtrail_access';
