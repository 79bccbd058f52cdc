import type { TestDatabase } from './database.ts';

/** Of `pg_locks`: those of other suites' databases are on tables of the same numbers, as all are copied from one. */
export const LOCKS_HERE = `(select lock.* from pg_locks lock
  join pg_database on pg_database.oid = database and datname = current_database())`;

/** Resolves when so many connections to the database wait for a lock. */
export async function untilWaiting(database: TestDatabase, count: number): Promise<void> {
  for (;;) {
    const waiting = await database.rows(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (waiting.length >= count) {
      return;
    }
  }
}

/** Resolves when a connection to the database waits for a lock on the table. */
export async function untilWaitingFor(database: TestDatabase, table: string): Promise<void> {
  const waiting = `select from ${LOCKS_HERE} lock where relation = '${table}'::regclass and not granted`;
  while ((await database.rows(waiting)).length === 0) {
    // The database is asked again.
  }
}
