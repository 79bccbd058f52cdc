import { ADVISORY_LOCKS } from '../../db/timescale/connections/advisory-locks.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { SEALER } from './sealing/sealing-session.ts';

/** Seconds: when a sealer is gone, another process takes over within five. */
const LATE = 15;

/** Rows looked at. */
const FEW = 1_000;

/**
 * The lock alone proves nothing: any session can hold it, and a failing sealer takes it each time. A sealer works if
 * something was sealed recently, or if a sealer's session has held the lock for a while, as during a transaction that
 * began before the events.
 *
 * @param late seconds; tests shorten it.
 * @throws the reason if events wait for their positions and no process gives them any.
 */
export async function requireSealer(db: Connection, late = LATE): Promise<void> {
  const { is_late: isLate, is_sealing: isSealing } = await db.one(sql.prepared(
    'ask-sealer',
    rowsOf<{ is_late: boolean; is_sealing: boolean }>(),
  )`
    select exists (
      select from (
        select recorded_at from unsealed_moves
        where org_id not in (select org_id from sealing_faults)
        limit ${FEW}::integer
      ) waiting
      where recorded_at < clock_timestamp() - make_interval(secs => ${late}::float8)
    ) as is_late, exists (
      select from move_heads where sealed_at > clock_timestamp() - make_interval(secs => ${late}::float8)
    ) or exists (
      select from pg_locks join pg_stat_activity using (pid)
      where application_name = ${SEALER}::text
        and coalesce(backend_start < clock_timestamp() - make_interval(secs => ${late}::float8), true)
        and locktype = 'advisory' and granted and classid = 0 and objid = ${ADVISORY_LOCKS.sealing}::integer
        and objsubid = 1 and pg_locks.database = (select oid from pg_database where datname = current_database())
    ) as is_sealing`);
  if (isLate && !isSealing) {
    throw new Error('events of the move feed wait, and no process seals them');
  }
}
