import { setTimeout as pause } from 'node:timers/promises';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

/** Milliseconds between looks. */
const LOOK_EVERY = 1_000;

/**
 * True while processes of an earlier version run: they record without telling the feed. Each LISTENs for as long as it
 * runs, and processes of this version start after the migrations only. When those of another login started is shown to
 * superusers only, so they count as earlier: theirs may be the only login that there was before.
 */
export async function hasEarlierProcesses(db: Connection): Promise<boolean> {
  const { has_any: hasAny } = await db.one(sql.type(rowsOf<{ has_any: boolean }>())`
    select exists (
      select from pg_stat_activity
      where datname = current_database() and application_name = 'tagtrail listen'
        and coalesce(backend_start < (select max(applied_at) from schema_migrations), true)
    ) as has_any`);
  return hasAny;
}

/** Resolves when they have ended, or the signal is aborted. */
export async function noneOfEarlier(db: Connection, signal: AbortSignal | undefined): Promise<void> {
  while (signal?.aborted !== true && (await hasEarlierProcesses(db))) {
    await pause(LOOK_EVERY, undefined, { signal }).catch(() => {});
  }
}
