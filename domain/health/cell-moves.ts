import { TAGTRAIL } from '../../base/typed-command.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { type Finding, fault, warning } from './finding.ts';
import { findStalledMoves, type StalledMove } from './stalled-moves.ts';

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
