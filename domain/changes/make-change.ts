import type { OrganizationConnection } from '../../db/timescale/connections/organization-door.ts';
import type { RowQuery } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { Actor } from './actor.ts';
import type { ChangeEntry } from './entry.ts';
import { insertChanges } from './insert-changes.ts';

/** A transaction with its author: functions that write take one, so the author is always known. */
export type Change<Transaction extends Connection = Connection> = Transaction & { readonly actor: Actor };

export type OrganizationChange = Change<OrganizationConnection>;

export interface ChangeResult<Result> {
  readonly result: Result;
  readonly entries: readonly ChangeEntry[];
}

/** @param entries one for each resource that was changed. */
export function changed<Result>(result: Result, entries: readonly ChangeEntry[]): ChangeResult<Result> {
  return { result, entries };
}

/** Nothing was written, so there is nothing to log. */
export function unchanged<Result>(result: Result): ChangeResult<Result> {
  return { result, entries: [] };
}

interface Transactional<Transaction extends Connection> {
  transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    last?: (transaction: Transaction, result: Result) => Promise<unknown>,
  ): Promise<Result>;
}

/**
 * Runs `work` in a transaction; retries if the database aborted it in favour of another. The log is written in the same
 * transaction, by a statement that travels with the commit, so it costs no round trip.
 */
export async function makeChange<Transaction extends Connection, Result>(
  db: Transactional<Transaction>,
  actor: Actor,
  work: (change: Change<Transaction>) => Promise<ChangeResult<Result>>,
): Promise<Result> {
  const { result } = await db.transaction(
    async (transaction): Promise<{ result: Result; log: RowQuery<never> | null }> => {
      const { result, entries } = await work({ ...transaction, actor });
      return { result, log: entries.length === 0 ? null : await insertChanges(actor, entries) };
    },
    async (transaction, { log }) => log && transaction.exec(log),
  );
  return result;
}

/**
 * Logs entries immediately: for changes of too many resources to hold until the end, and in transactions that also
 * record scans.
 */
export async function logChanges(
  transaction: Connection,
  actor: Actor,
  entries: readonly ChangeEntry[],
): Promise<void> {
  if (entries.length > 0) {
    await transaction.exec(await insertChanges(actor, entries));
  }
}
