import type { OrganizationConnection } from '../../db/timescale/connections/organization-door.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { Actor } from './actor.ts';

/** A transaction in which something is changed on an actor's behalf. Functions that write take one, so that it is always known. */
export type Change<Transaction extends Connection = Connection> = Transaction & { readonly actor: Actor };

/** A change of what one organization has, through its door. */
export type OrganizationChange = Change<OrganizationConnection>;

/** Whatever has transactions: the organization's door, or the whole database. */
interface Transactional<Transaction extends Connection> {
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
}

/** Runs `work` in a transaction, which is run again where the database gave it up for another's sake. */
export function makeChange<Transaction extends Connection, Result>(
  db: Transactional<Transaction>,
  actor: Actor,
  work: (change: Change<Transaction>) => Promise<Result>,
): Promise<Result> {
  return db.transaction((transaction) => work({ ...transaction, actor }));
}
