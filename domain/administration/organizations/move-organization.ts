import type { CellMove, MoveHooks } from '../../../db/timescale/cells/cells.ts';
import { moveOrganization } from '../../../db/timescale/cells/move.ts';
import type { MoveResult } from '../../../db/timescale/cells/switch-over.ts';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import type { Actor } from '../../changes/actor.ts';
import { changed, makeChange } from '../../changes/make-change.ts';

/** {@link moveOrganization}, and logs it at both cells: there for the organization, here for the installation. */
export async function moveToCell(move: CellMove, actor: Actor, hooks: MoveHooks): Promise<MoveResult> {
  const result = await moveOrganization(move, hooks);
  await log(move.to, actor, move.orgId, move.orgId);
  await log(move.from, actor, move.orgId, null);
  return result;
}

async function log(url: string, actor: Actor, id: number, orgId: number | null): Promise<void> {
  const pool = createWritePool(url, { max: 1, patience: null });
  try {
    await makeChange(databaseOn(pool), actor, async () =>
      changed(null, [
        { orgId, action: 'move', resource: { type: 'organization', id }, before: null, after: null },
      ]),
    );
  } finally {
    await pool.end();
  }
}
