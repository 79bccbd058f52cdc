import type { Pool } from '../../../db/timescale/connections/client.ts';
import { type FragmentSqlToken, NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { type Recomputed, recomputeAsset } from './recompute-asset.ts';

export interface RecomputedSoFar extends Omit<Recomputed, 'unsealed'> {
  orgId: number;
  /** Looked at so far. */
  assets: number;
  /** Of those, the ones with a changed history. */
  changed: number;
  /** All there are to look at, counted at the beginning. */
  of: number;
}

export interface Recomputing {
  /** Null for all assets. */
  assetId?: number | null;
  /** Counts, and writes nothing, not even the progress. */
  isDry?: boolean;
  /** Stops after the current asset. */
  signal?: AbortSignal | undefined;
  onProgress?(sofar: RecomputedSoFar): void;
  /** Called after commits that told the feed of changes of these organizations. */
  onMoves?(orgIds: readonly number[]): void;
}

/**
 * Recomputes the histories of an organization, asset by asset in the order of their ids. The progress is stored, so
 * that an interrupted run is continued there.
 *
 * @returns `isFinished` is false if it was aborted.
 */
export async function recomputeOrganization(
  pool: Pool,
  orgId: number,
  { assetId = null, isDry = false, signal, onProgress, onMoves }: Recomputing = {},
): Promise<RecomputedSoFar & { isFinished: boolean }> {
  const isKept = assetId === null && !isDry;
  const start = isKept ? await begin(pool, orgId) : 0;
  const sofar = { orgId, assets: 0, changed: 0, written: 0, removed: 0, of: 0 };
  sofar.of = await countAssets(pool, orgId, assetId, start);
  for (let after = start; ; ) {
    const ids = await nextAssets(pool, orgId, assetId, after);
    for (const id of ids) {
      if (signal?.aborted === true) {
        return { ...sofar, isFinished: false };
      }
      const { written, removed, unsealed } = await recomputeAsset(pool, { orgId, assetId: id }, isDry);
      sofar.assets++;
      sofar.changed += Number(written + removed > 0);
      sofar.written += written;
      sofar.removed += removed;
      if (unsealed > 0) {
        onMoves?.([orgId]);
      }
      if (isKept) {
        await keep(pool, orgId, id);
      }
      onProgress?.(sofar);
    }
    const last = ids.at(-1);
    if (last === undefined || assetId !== null) {
      break;
    }
    after = last;
  }
  if (isKept) {
    await finish(pool, orgId);
  }
  return { ...sofar, isFinished: true };
}

/** @returns the last asset that an interrupted run finished; else 0. */
async function begin(db: Connection, orgId: number): Promise<number> {
  const row = await db.one(sql.type(ASSET)`
    insert into history_recomputations as kept (org_id) values (${orgId})
    on conflict (org_id) do update
    set asset_id = case when kept.finished_at is null then kept.asset_id else 0 end, finished_at = null
    returning asset_id`);
  return row.asset_id;
}

async function keep(db: Connection, orgId: number, assetId: number): Promise<void> {
  await db.exec(sql.prepared('keep-recomputation', NO_ROWS)`
    update history_recomputations set asset_id = ${assetId} where org_id = ${orgId}`);
}

async function finish(db: Connection, orgId: number): Promise<void> {
  await db.exec(sql.type(NO_ROWS)`
    update history_recomputations set finished_at = now() where org_id = ${orgId}`);
}

async function countAssets(
  db: Connection,
  orgId: number,
  assetId: number | null,
  after: number,
): Promise<number> {
  const { count } = await db.one(sql.type(rowsOf<{ count: number }>())`
    select count(*) from positions
    where org_id = ${orgId} and asset_id > ${after} and ${isWanted(assetId)}`);
  return count;
}

async function nextAssets(
  db: Connection,
  orgId: number,
  assetId: number | null,
  after: number,
): Promise<number[]> {
  const rows = await db.any(sql.type(ASSET)`
    select asset_id from positions
    where org_id = ${orgId} and asset_id > ${after} and ${isWanted(assetId)}
    order by asset_id limit 500`);
  return rows.map((row) => row.asset_id);
}

function isWanted(assetId: number | null): FragmentSqlToken {
  return assetId === null ? sql.fragment`true` : sql.fragment`asset_id = ${assetId}`;
}

const ASSET = rowsOf<{ asset_id: number }>();
