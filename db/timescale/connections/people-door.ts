import { thrownByPg } from './connection-lost.ts';
import { type Database, databaseOn } from './database.ts';
import { rethrowLost } from './lost-database.ts';
import { createPool } from './pool.ts';
import { type ServiceConnections, serviceConfig } from './service-connections.ts';
import { SilentConnections } from './silent-connections.ts';

/**
 * Users, sessions and links as `tagtrail_people`, a role that sees these for every organization, to sign people in, and
 * otherwise only names of organizations. It can write the change log, but not read it.
 */
export interface PeopleDoor extends Database {
  end(): Promise<void>;
}

export function openPeopleDoor(url: string, connections: ServiceConnections): PeopleDoor {
  const config = serviceConfig(url, connections, PEOPLE_ROLE);
  const pool = createPool(config, connections.max, new SilentConnections(url));
  const { transaction, ...db } = databaseOn(pool);
  const orLost = <Result>(answer: Promise<Result>): Promise<Result> =>
    answer.catch((error) => rethrowLost(thrownByPg(error)));
  return {
    any: (query) => orLost(db.any(query)),
    one: (query) => orLost(db.one(query)),
    maybeOne: (query) => orLost(db.maybeOne(query)),
    exec: (query) => orLost(db.exec(query)),
    transaction: (work, last) => transaction(work, last).catch((error) => rethrowLost(error)),
    end: () => pool.end(),
  };
}

const PEOPLE_ROLE = 'tagtrail_people';
