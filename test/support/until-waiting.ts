import type { TestDatabase } from './database.ts';

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
