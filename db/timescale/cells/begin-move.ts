import { rowsAsJson } from '../copy/rows-as-json.ts';
import { beginApplying } from './begin-applying.ts';
import { requireUninterrupted } from './break-off.ts';
import { type CellMove, type Cells, type MoveHooks, nameOf } from './cells.ts';
import { type MovedTable, ownedBy } from './moved-tables.ts';
import { textOfLsn } from './pgoutput.ts';
import { createSlot, dropReplication, publish } from './replication.ts';
import { requireMovable } from './requirements.ts';
import { beginArrival, beginMove, endMove, findMove, setState } from './stored-moves.ts';

/** 1. Everything as of one instant, in one transaction at the other cell; changes since then are kept by the slot. */
export async function begin(cells: Cells, move: CellMove, isAgain: boolean, hooks: MoveHooks): Promise<void> {
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

/** Nothing is left of what was copied. */
export async function clean({ from, to, orgId, slot, tables }: Cells): Promise<void> {
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
