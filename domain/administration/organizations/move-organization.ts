import type { CellMove, MoveHooks } from '../../../db/timescale/cells/cells.ts';
import { moveOrganization } from '../../../db/timescale/cells/move.ts';
import type { MoveResult } from '../../../db/timescale/cells/switch-over.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Actor } from '../../changes/actor.ts';
import { logChanges } from '../../changes/make-change.ts';

/** {@link moveOrganization}, and logs it at both cells: there for the organization, here for the installation. */
export function moveToCell(
  move: CellMove,
  actor: Actor,
  hooks: Omit<MoveHooks, 'logLeaving' | 'logArrival'>,
): Promise<MoveResult> {
  const { orgId: id } = move;
  const log = (transaction: Connection, orgId: number | null) =>
    logChanges(transaction, actor, [
      { orgId, action: 'move', resource: { type: 'organization', id }, before: null, after: null },
    ]);
  return moveOrganization(move, {
    ...hooks,
    logLeaving: (transaction) => log(transaction, null),
    logArrival: (transaction) => log(transaction, id),
  });
}
