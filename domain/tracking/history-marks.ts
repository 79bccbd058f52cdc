import { integers, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { AssetTransition } from './write-transitions.ts';

/**
 * Marks histories at some of the instants at which rows were just written, so that counting a history reads one mark for
 * some 512 rows of it (migration 0024). Which ones a hash decides: it needs no look-up, so that of 512 moves one costs more
 * than the others, and late rows keep stretches as short as newest ones do.
 *
 * @param written of locked positions.
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

/** One in 512, whatever the digits of instants are. The asset is in it, as many may be seen at one instant. */
export function isMarked({ assetId, observedAt }: Pick<AssetTransition, 'assetId' | 'observedAt'>): boolean {
  const low = Math.imul(observedAt % HALF, 0x9e3779b1);
  const high = Math.imul(Math.floor(observedAt / HALF), 0x85ebca6b);
  const mixed = Math.imul(low ^ (low >>> 15) ^ high ^ Math.imul(assetId, 0x27d4eb2f), 0xc2b2ae35);
  return Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b) >>> 23 === 0;
}

const HALF = 2 ** 32;
