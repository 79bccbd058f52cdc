import { AppError } from '../../../base/errors.ts';
import { rowsAsJson } from '../copy/rows-as-json.ts';
import { arrive } from './arrive.ts';
import { requireUninterrupted, untilInterrupted } from './break-off.ts';
import { type CellMove, type Cells, type MoveHooks, nameOf, withCells } from './cells.ts';
import { differing, ownedChecksums } from './checksums.ts';
import { beginApplying, catchUp, follow } from './follow.ts';
import { release } from './hold.ts';
import { type MovedTable, ownedBy } from './moved-tables.ts';
import { textOfLsn } from './pgoutput.ts';
import { comparedSlotOf, createSlot, dropReplication, dropSlot, publish } from './replication.ts';
import { requireMovable } from './requirements.ts';
import { beginArrival, beginMove, endMove, findMove, type StoredMove, setState } from './stored-moves.ts';
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
      `Organization ${orgId} has moved to ${stored.other_cell}; update a router from there, by cell route`,
    );
  }
  if (stored !== null && stored.other_cell !== nameOf(to)) {
    throw new AppError(
      'conflict',
      `Organization ${orgId} is on its way to ${stored.other_cell}; name that one in --to`,
    );
  }
}

/** 3. Both cells compared as of one instant, while the organization is in use. */
async function compareCells(cells: Cells, fromUrl: string, { signal, onProgress }: MoveHooks): Promise<void> {
  const { from, to, orgId, tables } = cells;
  onProgress('comparing');
  const slot = comparedSlotOf(cells.slot);
  // The server may not have noticed that a run was killed which waited for it.
  await dropSlot(from, slot);
  const instant = await createSlot(fromUrl, slot, { signal, isTemporary: true });
  try {
    await catchUp(cells, textOfLsn(instant.lsn));
    await from.query('begin isolation level repeatable read, read only');
    await from.query(`set transaction snapshot '${instant.snapshot}'`);
    const here = await ownedChecksums(from, tables, orgId);
    await from.query('commit');
    const different = differing(here, await ownedChecksums(to, tables, orgId));
    if (different.length > 0) {
      throw new AppError(
        'conflict',
        `The cells do not agree (${different.join(', ')}); run this again, and give the move up if they still do not`,
      );
    }
  } finally {
    await instant.close();
  }
}

/** 1. Everything as of one instant, in one transaction at the other cell; the slot keeps later changes. */
async function begin(cells: Cells, move: CellMove, isAgain: boolean, hooks: MoveHooks): Promise<void> {
  const { from, to, orgId, slot, tables } = cells;
  if (isAgain) {
    await clean(cells);
  }
  await requireMovable(from, to, { ...move, tables });
  if (!isAgain) {
    await beginMove(from, orgId, nameOf(move.to));
  }
  await publish(from, slot, tables, orgId);
  hooks.onProgress('waiting for open transactions');
  const created = await createSlot(move.from, slot, { signal: hooks.signal });
  try {
    await from.query('begin isolation level repeatable read, read only');
    await from.query(`set transaction snapshot '${created.snapshot}'`);
    await beginApplying(to);
    for (const table of tables) {
      await copyRows(cells, table, hooks);
    }
    await beginArrival(to, orgId, { otherCell: nameOf(move.from), applied: textOfLsn(created.lsn) });
    await to.query('commit');
    await from.query('commit');
  } finally {
    await created.close();
  }
  await setState(from, orgId, 'following');
}

async function copyRows(
  { from, to, orgId }: Cells,
  table: MovedTable,
  { signal, onProgress }: MoveHooks,
): Promise<void> {
  const { name, identifier } = table;
  let count = 0;
  for await (const rows of rowsAsJson(from, `select * from ${identifier} where ${ownedBy(table, orgId)}`)) {
    requireUninterrupted(signal);
    await to.query(
      `insert into ${identifier} overriding system value
       select * from json_populate_recordset(null::${identifier}, $1::json)`,
      [`[${rows.join(',')}]`],
    );
    count += rows.length;
    onProgress(`${name}: ${count} rows`);
  }
}

/** Removes every copied row. */
async function clean({ from, to, orgId, slot, tables }: Cells): Promise<void> {
  await dropReplication(from, slot);
  await beginApplying(to);
  if ((await findMove(to, orgId))?.state === 'arriving') {
    for (const table of tables.toReversed()) {
      await to.query(`delete from ${table.identifier} where ${ownedBy(table, orgId)}`);
    }
    await endMove(to, orgId);
  }
  await to.query('commit');
}
