import { TAGTRAIL } from '../../base/typed-command.ts';
import { ORGANIZATION_LOCKS } from '../../db/timescale/connections/advisory-locks.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { type Finding, fault, warning } from './finding.ts';

interface StalledMove {
  org_id: number;
  state: 'copying' | 'following' | 'held' | 'moved' | 'arriving';
  other_cell: string;
  since: string;
  /** Bytes of log that the server keeps for it; null if none, or if the slot is unusable. */
  log: number | null;
  is_log_lost: boolean;
}

const { leavingCell, arrivingAtCell } = ORGANIZATION_LOCKS;

const CHECK = 'moves between cells';

/** Findings at most. */
const MOST = 100;

/** Names organizations whose move to another cell, or from there, has stopped on its way. */
export async function examineCellMoves(db: Connection): Promise<Finding[]> {
  return (await findStalledMoves(db, MOST)).map(findingOf);
}

function findingOf({
  org_id: id,
  state,
  other_cell: cell,
  since,
  log,
  is_log_lost: isLogLost,
}: StalledMove): Finding {
  const again = `${TAGTRAIL} cell move --org ${id} --to ...`;
  const giveUp = `${TAGTRAIL} cell give-up --org ${id} --to ...`;
  const kept = log === null ? '' : `; the server keeps ${Math.ceil(log / 1_048_576)} MB of its log for it`;
  switch (state) {
    case 'arriving':
      return warning(
        CHECK,
        `Organization ${id} has been on its way here since ${since}, from ${cell}, but no command is moving it`,
        `At that cell, continue with ${again}, or end it with ${giveUp}`,
      );
    case 'held':
      return fault(
        CHECK,
        `Organization ${id} is held: its requests are answered 503, but no command is moving it to ${cell}${kept}`,
        `Continue with ${again}, or release it with ${giveUp}`,
      );
    case 'moved':
      return fault(
        CHECK,
        `Organization ${id} has moved to ${cell}, and its requests may still come here, where they are answered 503${kept}`,
        `Complete it with ${again}, with --route if there is a router`,
      );
    default:
      return isLogLost
        ? warning(
            CHECK,
            `The move of organization ${id} to ${cell} cannot go on: the server has dropped its log (max_slot_wal_keep_size)`,
            `End it with ${giveUp}, and begin again`,
          )
        : warning(
            CHECK,
            `Organization ${id} has been on its way to ${cell} since ${since}, but no command is moving it${kept}`,
            `Continue with ${again}, or end it with ${giveUp}, before the disk is full`,
          );
  }
}

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
