import { ORGANIZATION_LOCKS } from '../../db/timescale/connections/advisory-locks.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';

export interface StalledMove {
  org_id: number;
  state: 'copying' | 'following' | 'held' | 'moved' | 'arriving';
  other_cell: string;
  since: string;
  /** Bytes of log that the server keeps for it; null if none, or if the slot is unusable. */
  log: number | null;
  is_log_lost: boolean;
}

const { leavingCell, arrivingAtCell } = ORGANIZATION_LOCKS;

/** Interrupted moves of organizations to or from another cell. */
export function findStalledMoves(db: Connection, most: number): Promise<readonly StalledMove[]> {
  return db.any(sql.type(rowsOf<StalledMove>())`
    select move.org_id, move.state, move.other_cell, to_char(started_at, 'YYYY-MM-DD HH24:MI:SS TZ') as since,
      pg_wal_lsn_diff(pg_current_wal_lsn(), slot.restart_lsn)::float8 as log,
      coalesce(slot.wal_status = 'lost', false) as is_log_lost
    from cell_moves move
    cross join (select oid from pg_database where datname = current_database()) database
    left join pg_replication_slots slot
      on slot.slot_name = 'tagtrail_move_' || database.oid || '_' || move.org_id
    where move.state <> 'left' and not exists (
      select from pg_locks
      where locktype = 'advisory' and database = database.oid and objid::bigint = move.org_id
        and objsubid = 2 and classid::bigint in (${leavingCell}, ${arrivingAtCell})
    )
    order by move.org_id limit ${most}`);
}
