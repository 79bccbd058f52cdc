import { AppError } from '../../../base/errors.ts';
import type { Cells, MoveHooks } from './cells.ts';
import { differing, ownedChecksums } from './checksums.ts';
import { catchUp } from './follow.ts';
import { textOfLsn } from './pgoutput.ts';
import { comparedSlotOf, createSlot, dropSlot } from './replication.ts';

/** 3. Both cells compared as of one instant, while the organization is in use. */
export async function compareCells(
  cells: Cells,
  fromUrl: string,
  { signal, onProgress }: MoveHooks,
): Promise<void> {
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
