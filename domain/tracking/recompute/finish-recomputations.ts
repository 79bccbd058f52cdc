import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { type Awaiting, awaitLock } from '../../../db/timescale/connections/await-lock.ts';
import { Client } from '../../../db/timescale/connections/client.ts';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { isHere } from '../../../db/timescale/queries/is-here.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { type RecomputedSoFar, type Recomputing, recomputeOrganization } from './recompute-organization.ts';

/**
 * Recomputes the histories of the organizations that an upgrade left waiting, interrupted ones first. Of several
 * processes one does it and the others wait.
 *
 * @returns one entry for each organization.
 */
export async function finishRecomputations(
  url: string,
  { onWaiting, ...recomputing }: Awaiting & Pick<Recomputing, 'signal' | 'onProgress' | 'onMoves'> = {},
): Promise<(RecomputedSoFar & { isFinished: boolean })[]> {
  const holder = new Client(connectionConfig(url, 'tagtrail recomputation'));
  await holder.connect();
  const pool = createWritePool(url, { max: 1, applicationName: 'tagtrail recomputation', patience: null });
  try {
    const done: Awaited<ReturnType<typeof finishRecomputations>> = [];
    const { signal } = recomputing;
    if (!(await awaitLock(holder, ADVISORY_LOCKS.recomputation, { signal, onWaiting }))) {
      return done;
    }
    for (const orgId of await waiting(holder)) {
      done.push(await recomputeOrganization(pool, orgId, recomputing));
      if (recomputing.signal?.aborted === true) {
        break;
      }
    }
    return done;
  } finally {
    await Promise.all([pool.end(), holder.end()]);
  }
}

async function waiting(db: Connection): Promise<number[]> {
  const rows = await db.any(sql.type(rowsOf<{ org_id: number }>())`
    select org_id from history_recomputations recomputation
    where finished_at is null and ${isHere(sql.fragment`recomputation.org_id`)} order by asset_id > 0 desc, org_id`);
  return rows.map((row) => row.org_id);
}
