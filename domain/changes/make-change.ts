import type { OrganizationConnection } from '../../db/timescale/connections/organization-door.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { Actor } from './actor.ts';

/** A transaction with its author. Functions that write take one, so the author is always known. */
export type Change<Transaction extends Connection = Connection> = Transaction & { readonly actor: Actor };

/** A change of one organization's data, through its door. */
export type OrganizationChange = Change<OrganizationConnection>;

/** Anything with transactions: the organization's door, or the whole database. */
interface Transactional<Transaction extends Connection> {
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
}

/** Runs `work` in a transaction; retried if the database aborted it for another's sake. */
export function makeChange<Transaction extends Connection, Result>(
  db: Transactional<Transaction>,
  actor: Actor,
  work: (change: Change<Transaction>) => Promise<Result>,
): Promise<Result> {
  return db.transaction((transaction) => work({ ...transaction, actor }));
}
