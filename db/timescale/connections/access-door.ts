import { type Connection, verbsOn } from '../queries/verbs.ts';
import { thrownByPg } from './connection-lost.ts';
import { rethrowLost } from './lost-database.ts';
import { createPool } from './pool.ts';
import { type ServiceConnections, serviceConfig } from './service-connections.ts';
import { SilentConnections } from './silent-connections.ts';

/**
 * Access to credentials as `tagtrail_access`, a role that sees only credentials, of every organization, to identify the
 * caller.
 */
export interface AccessDoor extends Connection {
  end(): Promise<void>;
}

export function openAccessDoor(url: string, connections: ServiceConnections): AccessDoor {
  const config = serviceConfig(url, connections, ACCESS_ROLE);
  const pool = createPool(config, connections.max, new SilentConnections(url));
  return {
    ...verbsOn((query) => pool.query(query).catch((error) => rethrowLost(thrownByPg(error)))),
    end: () => pool.end(),
  };
}

const ACCESS_ROLE = 'tagtrail_access';
