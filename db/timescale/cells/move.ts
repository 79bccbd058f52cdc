import { AppError } from '../../../base/errors.ts';
import { arrive } from './arrive.ts';
import { begin, clean } from './begin-move.ts';
import { untilInterrupted } from './break-off.ts';
import { type CellMove, type MoveHooks, nameOf, withCells } from './cells.ts';
import { compareCells } from './compare-cells.ts';
import { follow } from './follow.ts';
import { release } from './hold.ts';
import { endMove, findMove, type StoredMove } from './stored-moves.ts';
import { type MoveResult, switchOver } from './switch-over.ts';

/**
 * Moves an organization to another cell while it is used (docs/design/cells.md). May be killed at any point, and run again.
 *
 * @throws AppError `conflict` with what keeps it from being moved; then it is where it was, and in use.
 */
export function moveOrganization(move: CellMove, hooks: MoveHooks): Promise<MoveResult> {
  const { signal } = hooks;
  return withCells(
    move,
    async (cells) => {
      const stored = await findMove(cells.from, move.orgId);
      requireSame(stored, move);
      if (stored?.state === 'moved') {
        await arrive(cells, hooks);
        return { tables: [], heldMs: null, differing: [] };
      }
      if (stored?.state === 'held') {
        await release(cells.from, move.orgId, 'following');
      }
      await untilInterrupted(signal, [cells.from, cells.to], async () => {
        if (stored === null || stored.state === 'copying') {
          await begin(cells, move, stored !== null, hooks);
        }
        await follow(cells, hooks);
        await compareCells(cells, move.from, hooks);
        await follow(cells, hooks);
      });
      return switchOver(cells, move, hooks);
    },
    signal,
  );
}

/** Ends a move before its switch, and leaves nothing of it at either cell. @throws AppError `conflict` after the switch. */
export function giveUpMove(move: Pick<CellMove, 'from' | 'to' | 'orgId'>): Promise<void> {
  return withCells(move, async (cells) => {
    const { from, orgId } = cells;
    const stored = await findMove(from, orgId);
    if (stored === null) {
      throw new AppError('not_found', `Organization ${orgId} is not being moved`);
    }
    requireSame(stored, move);
    if (stored.state === 'moved') {
      throw new AppError('conflict', `Organization ${orgId} has moved; run cell move again to complete it`);
    }
    await release(from, orgId, null);
    await clean(cells);
    await endMove(from, orgId);
  });
}

function requireSame(stored: StoredMove | null, { orgId, to }: Pick<CellMove, 'orgId' | 'to'>): void {
  if (stored?.state === 'left') {
    throw new AppError(
      'conflict',
      `Organization ${orgId} has moved to ${stored.other_cell}; a router is told from there, by cell route`,
    );
  }
  if (stored !== null && stored.other_cell !== nameOf(to)) {
    throw new AppError(
      'conflict',
      `Organization ${orgId} is on its way to ${stored.other_cell}; name that one in --to`,
    );
  }
}
