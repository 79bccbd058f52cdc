import pg from 'pg';
import { AppError } from '../../../base/errors.ts';
import { DATABASE_NOW } from '../queries/database-clock.ts';
import { NO_ROWS, sql } from '../queries/sql.ts';
import type { Connection } from '../queries/verbs.ts';
import { connectionOf, type Pool, type PoolClient } from './client.ts';
import { isConnectionLost, thrownByPg } from './connection-lost.ts';
import { type Preceding, prepareOnce, sendPreceded } from './preceded-query.ts';

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

/** Identifies a transaction to other connections, also after a restart of the server. */
export interface TransactionMark {
  /** Transaction id with epoch, as text. */
  xid: string;
  /** After a failover another transaction may have the same id. */
  timeline: string;
  /** Milliseconds since 1970 by the database's clock. */
  databaseNow: number;
  /** `performance.now()` before the query. */
  askedAt: number;
}

/** Assigns the current transaction an id. */
export async function markOf(client: pg.ClientBase): Promise<TransactionMark> {
  const askedAt = performance.now();
  const { rows } = await client.query<{ xid: string; timeline: string; database_now: number }>({
    name: 'mark-transaction',
    text: `select pg_current_xact_id()::text as xid, ${TIMELINE} as timeline,
      ${DATABASE_NOW.sql} as database_now`,
  });
  const [row] = rows;
  if (row === undefined) {
    throw new RangeError('a query for one row returned none');
  }
  return { xid: row.xid, timeline: row.timeline, databaseNow: row.database_now, askedAt };
}

/**
 * Finds out whether an unanswered commit went through.
 *
 * @param isStored says whether the database has what the transaction with that id wrote; asked where the server does not
 * know the transaction, being another one since a failover for instance.
 * @throws StillInProgress if undecided; the database's error if it cannot be asked.
 */
export async function wasCommitted(
  pool: Pool,
  { xid, timeline }: TransactionMark,
  isStored: (xid: string) => Promise<boolean>,
): Promise<boolean> {
  const status = await statusOf(pool, xid, timeline);
  if (status === 'in progress') {
    await pool.query(END_ABANDONED, [xid]).catch(rethrowOfPg);
    throw new StillInProgress(`transaction ${xid} is in progress still`);
  }
  return status === null ? isStored(xid).catch(rethrowOfPg) : status === 'committed';
}

export class StillInProgress extends Error {}

const TIMELINE = 'left(pg_walfile_name(pg_current_wal_lsn()), 8)';

/** A session that received neither the commit nor news of its client's end would hold its locks for hours. */
const END_ABANDONED = `select pg_terminate_backend(pid) from pg_stat_activity
  where backend_xid = $1::xid8::xid and state = 'idle in transaction'`;

async function statusOf(pool: Pool, xid: string, timeline: string): Promise<string | null> {
  try {
    const { rows } = await pool.query<{ status: string | null }>(
      `select case when ${TIMELINE} = $2 then pg_xact_status($1::xid8) end as status`,
      [xid, timeline],
    );
    return rows[0]?.status ?? null;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === INVALID_PARAMETER_VALUE) {
      return null;
    }
    return rethrowOfPg(error);
  }
}

function rethrowOfPg(error: unknown): never {
  throw thrownByPg(error);
}

/** Reported for an id that the server has not assigned yet. */
const INVALID_PARAMETER_VALUE = '22023';

/**
 * Makes this transaction's statements find each row by the most direct index, whatever the statistics. Without any, as on
 * a young chunk or after a restore, a table counts as small and one index as good as another; and a plan that a connection
 * makes while a table has two pages is kept while it grows to millions of rows, until it is analyzed. So:
 *
 *   - statements that look up rows for a batch use `cross join lateral (... offset 0)`, or `on conflict`, which leave the
 *     planner no other join order (a merge join on `org_id` alone compared 111 million rows for 1,000 late reads);
 *   - of indexes with a common prefix, the intended one supplies an order: its last column is compared by `between` with a
 *     single value, and sorted by. Where statistics say "empty" every index costs the same, and the one that saves a sort
 *     wins (known scans were looked up among all of an organization's at that moment: 250 rows each);
 *   - sequential scans are off;
 *   - an index entry costs as much as a page, so the index that visits the fewest wins;
 *   - plans are generic. With operators at no cost planning seems free, too, so PostgreSQL would plan every execution; and
 *     for an organization newer than the statistics it expects one row from any index that begins with `org_id`. Checks of
 *     locations' keys were planned so: 4 million rows for 2,000 first reads at as many locations;
 *   - TimescaleDB leaves out chunks when a statement starts, and not again for each row of it: to think about a chunk takes
 *     longer than to find nothing in its index (21 chunks: 60 us for a late read, and 30 without). Without TimescaleDB the
 *     setting has no meaning.
 *
 * Sent together with the statement that follows, before every look-up of the transaction. `jit` is off because it is
 * triggered by costs, which mean nothing here.
 */
export function findByIndexes(db: Connection): Promise<unknown> {
  return db.exec(FIND_BY_INDEXES);
}

const FIND_BY_INDEXES = sql.prepared('find-by-indexes', NO_ROWS)`
  select set_config('enable_seqscan', 'off', true), set_config('cpu_index_tuple_cost', '1', true),
    set_config('cpu_operator_cost', '0', true), set_config('jit', 'off', true),
    set_config('plan_cache_mode', 'force_generic_plan', true),
    set_config('timescaledb.enable_runtime_exclusion', 'off', true)`;
