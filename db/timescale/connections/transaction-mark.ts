import pg from 'pg';
import { DATABASE_NOW } from '../queries/database-clock.ts';
import type { Pool } from './client.ts';
import { thrownByPg } from './connection-lost.ts';

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
