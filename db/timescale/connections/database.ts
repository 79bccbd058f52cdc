import { type Connection, verbsOn } from '../queries/verbs.ts';
import type { Pool } from './client.ts';
import { inTransaction } from './transaction.ts';

/** Single statements, and transactions for changes; the tenant-scoped connection is one as well. */
export interface Database extends Connection {
  /**
   * Runs `work` in a transaction; retries from the start if the database aborted it in favour of another.
   *
   * @param last sends a statement that travels with the commit.
   */
  transaction<Result>(
    work: (transaction: Connection) => Promise<Result>,
    last?: (transaction: Connection, result: Result) => Promise<unknown>,
  ): Promise<Result>;
}

export function databaseOn(pool: Pool): Database {
  return {
    ...verbsOn((query) => pool.query(query)),
    transaction: (work, last) =>
      inTransaction(
        pool,
        (client) => work(verbsOn((query) => client.query(query))),
        undefined,
        last &&
          ((client, result) =>
            last(
              verbsOn((query) => client.query(query)),
              result,
            )),
      ),
  };
}
