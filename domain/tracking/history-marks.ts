import { integers, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { AssetTransition } from './write-transitions.ts';

/**
 * Marks about one in 512 of the given transitions, so that a history is counted by its marks and at most some 512 rows
 * (migration 0024). A hash decides which: that takes no look-up, and late rows are marked as often as newest ones.
 *
 * @param written transitions of assets whose positions are locked.
 */
export async function markHistories(db: Connection, written: readonly AssetTransition[]): Promise<void> {
  const marked = written.filter(isMarked);
  if (marked.length === 0) {
    return;
  }
  await db.exec(sql.prepared('mark-histories', NO_ROWS)`
    select mark_histories(
      ${sql.binary(integers(marked.map(({ orgId }) => orgId)))}::integer[],
      ${sql.binary(integers(marked.map(({ assetId }) => assetId)))}::integer[],
      ${sql.binary(timestamps(marked.map(({ observedAt }) => observedAt)))}::timestamptz[])`);
}

/** Whatever digits the instants have. The asset is part of the hash because many assets may be seen at one instant. */
export function isMarked({ assetId, observedAt }: Pick<AssetTransition, 'assetId' | 'observedAt'>): boolean {
  const low = Math.imul(observedAt % HALF, 0x9e3779b1);
  const high = Math.imul(Math.floor(observedAt / HALF), 0x85ebca6b);
  const mixed = Math.imul(low ^ (low >>> 15) ^ high ^ Math.imul(assetId, 0x27d4eb2f), 0xc2b2ae35);
  return Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b) >>> 23 === 0;
}

const HALF = 2 ** 32;
