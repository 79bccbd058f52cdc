import { StatementTimedOut } from '../../../base/errors.ts';
import { FairSemaphore } from '../../../base/fair-semaphore.ts';
import { NO_ROWS, sql } from '../queries/sql.ts';
import { thrownByPg } from './connection-lost.ts';
import { type Database, databaseOn } from './database.ts';
import { LOCK_TIMEOUT, retryWhileLocked } from './grouped-writes.ts';
import { rethrowLost } from './lost-database.ts';
import { createPool } from './pool.ts';
import { PATIENCE } from './scanning-connections.ts';
import { type ServiceConnections, serviceConfig } from './service-connections.ts';
import { SilentConnections } from './silent-connections.ts';
import { isLockTimeout } from './sql-state.ts';

/**
 * Users, sessions and links as `tagtrail_people`, a role that sees these for every organization, to sign people in, and
 * otherwise only names of organizations. It can write the change log, but not read it.
 */
export interface PeopleDoor extends Database {
  /**
   * For the administrators of an organization, who do one thing at a time. All organizations' administrators together leave
   * one connection to those who sign in.
   *
   * @throws AppError `timed_out` if too many requests of the organization wait.
   */
  of(orgId: number): Database;
  end(): Promise<void>;
}

export function openPeopleDoor(url: string, connections: ServiceConnections): PeopleDoor {
  const config = serviceConfig(url, connections, PEOPLE_ROLE);
  const pool = createPool(config, connections.max, new SilentConnections(url));
  const { transaction, ...db } = databaseOn(pool);
  const orLost = <Result>(answer: Promise<Result>): Promise<Result> =>
    answer.catch((error) => rethrowLost(thrownByPg(error)));
  const turns = new FairSemaphore<number>({
    ...{ total: Math.max(1, connections.max - 1), perKey: 1, perKeyWithRoom: 1 },
    ...{ waitingPerKey: 50, patience: PATIENCE },
  });
  const inTurns = (turn: <Result>(work: () => Promise<Result>) => Promise<Result>): Database => ({
    any: (query) => turn(() => orLost(db.any(query))),
    one: (query) => turn(() => orLost(db.one(query))),
    maybeOne: (query) => turn(() => orLost(db.maybeOne(query))),
    exec: (query) => turn(() => orLost(db.exec(query))),
    transaction: (work, last) =>
      retryWhileLocked(() =>
        turn(() =>
          transaction(async (db) => {
            const set = db.exec(WAIT_BRIEFLY);
            return (await Promise.all([work(db), set]))[0];
          }, last),
        ),
      ).catch(rethrowKnown),
  });
  return {
    ...inTurns((work) => work()),
    of: (orgId) => inTurns((work) => turns.run(orgId, work)),
    end: () => pool.end(),
  };
}

function rethrowKnown(error: unknown): never {
  if (isLockTimeout(error)) {
    throw new StatementTimedOut('The change waited too long for others; try again later', error);
  }
  rethrowLost(error);
}

/** For locks. Others of an organization may hold one for seconds, and there are few connections. */
const WAIT_BRIEFLY = sql.prepared('wait-briefly', NO_ROWS)`
  select set_config('lock_timeout', ${String(LOCK_TIMEOUT)}::text, true)`;

const PEOPLE_ROLE = 'tagtrail_people';
