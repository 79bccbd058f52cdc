import type { Pool } from '../../../db/timescale/connections/client.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { mendAsset } from './mend-asset.ts';
import { firstObserved, type WrongClock } from './wrong-clock.ts';

export interface MendedSoFar {
  /** With scans that were dated anew. */
  assets: number;
  scans: number;
}

export interface Mending {
  /** Stops after the current asset. */
  signal?: AbortSignal | undefined;
  onProgress?(sofar: MendedSoFar): void;
  /** Called after commits that told the feed of changes of these organizations. */
  onMoves?(orgIds: readonly number[]): void;
}

/**
 * Dates what a wrong clock recorded of an organization's assets anew, asset by asset.
 *
 * @returns `isFinished` is false if it was aborted.
 */
export async function mendHistories(
  pool: Pool,
  orgId: number,
  clock: WrongClock,
  { signal, onProgress, onMoves }: Mending = {},
): Promise<MendedSoFar & { isFinished: boolean }> {
  const sofar = { assets: 0, scans: 0 };
  for (let after: number | undefined = 0; after !== undefined; ) {
    const ids: number[] = await nextAssets(pool, orgId, clock, after);
    for (const assetId of ids) {
      if (signal?.aborted === true) {
        return { ...sofar, isFinished: false };
      }
      const { scans, unsealed } = await mendAsset(pool, { orgId, assetId }, clock);
      sofar.assets += Number(scans > 0);
      sofar.scans += scans;
      if (unsealed > 0) {
        onMoves?.([orgId]);
      }
      onProgress?.(sofar);
    }
    after = ids.at(-1);
  }
  return { ...sofar, isFinished: true };
}

/** Those that were seen since what is mended begins. */
async function nextAssets(
  db: Connection,
  orgId: number,
  clock: WrongClock,
  after: number,
): Promise<number[]> {
  const rows = await db.any(sql.type(rowsOf<{ asset_id: number }>())`
    select asset_id from positions
    where org_id = ${orgId}::integer and asset_id > ${after}::integer
      and last_seen >= time_of_micros(${firstObserved(clock)}::bigint)
    order by asset_id limit 500`);
  return rows.map((row) => row.asset_id);
}
