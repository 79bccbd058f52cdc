import { type Connection, verbsOn } from '../queries/verbs.ts';
import type { Pool } from './client.ts';
import { inTransaction } from './transaction.ts';

/** What can be asked in statements by themselves and changed in transactions; an organization's door is one as well. */
export interface Database extends Connection {
  /** Runs `work` in a transaction; again from the start if the database gave it up for another's sake. */
  transaction<Result>(work: (transaction: Connection) => Promise<Result>): Promise<Result>;
}

/** All of the database, as the user of the pool's address may see it. */
export function databaseOn(pool: Pool): Database {
  return {
    ...verbsOn((query) => pool.query(query)),
    transaction: (work) => inTransaction(pool, (client) => work(verbsOn((query) => client.query(query)))),
  };
}
