import pg from 'pg';
import { AppError } from '../../../base/errors.ts';
import type { Pool, PoolClient } from './client.ts';
import { connectionOf } from './connecting.ts';
import { isConnectionLost, thrownByPg } from './connection-lost.ts';
import { type Preceding, prepareOnce, sendPreceded } from './preceded-query.ts';
import { markOf, type TransactionMark } from './transaction-mark.ts';

type Work<Result> = (client: PoolClient, attempt: number) => Promise<Result>;

/** Sends a last statement, which travels with the commit: it must be sent before the first wait. */
type Last<Result> = (client: PoolClient, result: Result) => Promise<unknown>;

/**
 * Runs `work` in a transaction on a connection of its own; BEGIN travels with the first statement. Retries
 * after a deadlock or serialization failure, {@link Outdated}, and for errors that `isRetryable` accepts.
 *
 * @param work gets the number of the attempt, from 1.
 * @throws AppError `outcome_unknown` if the connection is lost while committing.
 */
export function inTransaction<Result>(
  pool: Pool,
  work: Work<Result>,
  isRetryable: (error: unknown) => boolean = NEVER,
  last: Last<Result> = NOTHING_MORE,
): Promise<Result> {
  return begunBy('begin', pool, work, isRetryable, last);
}

/** {@link inTransaction} that only reads, and sees what was committed before its first statement. */
export function inSnapshot<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  // Set by BEGIN: through a pooler, settings follow it at once, and after a query the level cannot be set.
  return begunBy('begin isolation level repeatable read, read only', pool, work, NEVER, NOTHING_MORE);
}

function begunBy<Result>(
  begin: string,
  pool: Pool,
  work: Work<Result>,
  isRetryable: (error: unknown) => boolean,
  last: Last<Result>,
): Promise<Result> {
  return untilNotGivenUp(pool, isRetryable, async (client, attempt) => {
    const begun = client.query(begin);
    // If it fails the connection is lost, and the statements of `work` fail as well.
    begun.catch(() => {});
    const result = await work(client, attempt);
    await begun;
    const [sent, committed] = await Promise.allSettled([last(client, result), client.query('commit')]);
    if (committed.status === 'rejected') {
      rethrowOfCommit(committed.reason);
    }
    // A commit after a statement that failed is a rollback, and no error.
    if (sent.status === 'rejected') {
      throw sent.reason;
    }
    return result;
  });
}

const NOTHING_MORE = async () => {};

/**
 * {@link inTransaction} for statements known beforehand, sent and committed in one round trip. They check
 * uniqueness themselves, so a conflict was committed concurrently, and a retry sees it.
 *
 * @param preceding statements without result rows; prepared at the connection's first use.
 * @throws AppError `outcome_unknown` if the connection is lost.
 */
export function inOneTrip(
  pool: Pool,
  preceding: readonly Preceding[],
  query: pg.QueryConfig,
): Promise<pg.QueryResult> {
  return untilNotGivenUp(pool, isUniqueViolation, async (client) => {
    await Promise.all(preceding.map(({ name, text }) => prepareOnce(client, name, text)));
    return sendPreceded(client, preceding, query).catch(rethrowOfCommit);
  });
}

/** A transaction refused by a running server is rolled back. */
function rethrowOfCommit(thrown: unknown): never {
  const error = thrownByPg(thrown);
  const isUndone = error instanceof pg.DatabaseError && error.severity === 'ERROR';
  throw isConnectionLost(error) && !isUndone
    ? new AppError('outcome_unknown', OUTCOME_UNKNOWN, { cause: error })
    : error;
}

export const OUTCOME_UNKNOWN =
  'The connection to the database was lost; the request may have been carried out';

const NEVER = () => false;

/**
 * {@link inTransaction} that reports an unanswered commit. The mark travels with BEGIN.
 *
 * @param work gets the mark as well.
 * @throws CommitUnknown if the connection is lost while committing.
 */
export function inMarkedTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient, attempt: number, mark: TransactionMark) => Promise<Result>,
  isRetryable: (error: unknown) => boolean = NEVER,
): Promise<Result> {
  return untilNotGivenUp(pool, isRetryable, async (client, attempt) => {
    const [, mark] = await Promise.all([client.query('begin'), markOf(client)]);
    const result = await work(client, attempt, mark);
    try {
      await client.query('commit');
    } catch (thrown) {
      const error = thrownByPg(thrown);
      throw isConnectionLost(error) ? new CommitUnknown(mark, result, error) : error;
    }
    return result;
  });
}

/** Resolved by `wasCommitted`; if it went through, `result` is the result. */
export class CommitUnknown<Result = unknown> extends Error {
  readonly mark: TransactionMark;
  readonly result: Result;

  constructor(mark: TransactionMark, result: Result, cause: unknown) {
    super('the connection was lost while committing', { cause });
    this.mark = mark;
    this.result = result;
  }
}

async function untilNotGivenUp<Result>(
  pool: Pool,
  isRetryable: (error: unknown) => boolean,
  transact: Work<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    const client = await connectionOf(pool);
    let broken: Error | undefined;
    try {
      return await transact(client, attempt);
    } catch (error) {
      broken = await rollBack(client);
      if (attempt === MAX_ATTEMPTS || !(isTransient(error) || isRetryable(error))) {
        throw broken === undefined ? error : thrownByPg(error);
      }
    } finally {
      client.release(broken);
    }
  }
}

const MAX_ATTEMPTS = 5;

/** `deadlock_detected`, `serialization_failure`: the work itself is not at fault. */
const TRANSIENT = new Set(['40P01', '40001']);

function isTransient(error: unknown): boolean {
  return (
    error instanceof Outdated ||
    (error instanceof pg.DatabaseError && error.code !== undefined && TRANSIENT.has(error.code))
  );
}

/** What `work` relied on changed before it could lock it; it runs once more, as after a serialization failure. */
export class Outdated extends Error {}

/** `unique_violation`. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23505';
}

/** A connection that cannot roll back is discarded. */
async function rollBack(client: PoolClient): Promise<Error | undefined> {
  try {
    await client.query('rollback');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
