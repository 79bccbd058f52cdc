import { ADVISORY_LOCKS } from '../../db/timescale/connections/advisory-locks.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';

/** Seconds: another process takes over from a sealer that has gone within five. */
const LATE = 15;

/** Rows looked at. */
const FEW = 1_000;

/** @throws the reason if events wait for their positions in the feed and no process gives them any. */
export async function requireSealer(db: Connection): Promise<void> {
  const { is_late: isLate, is_held: isHeld } = await db.one(sql.prepared(
    'ask-sealer',
    rowsOf<{ is_late: boolean; is_held: boolean }>(),
  )`
    select exists (
      select from (
        select recorded_at from unsealed_moves
        where org_id not in (select org_id from sealing_faults)
        limit ${FEW}::integer
      ) waiting
      where recorded_at < clock_timestamp() - make_interval(secs => ${LATE}::integer)
    ) as is_late, exists (
      select from pg_locks
      where locktype = 'advisory' and granted and classid = 0 and objid = ${ADVISORY_LOCKS.sealing}::integer
        and objsubid = 1 and database = (select oid from pg_database where datname = current_database())
    ) as is_held`);
  if (isLate && !isHeld) {
    throw new Error('events wait for their positions in the move feed, and no process gives them any');
  }
}
