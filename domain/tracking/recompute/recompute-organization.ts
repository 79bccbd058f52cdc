import type { Micros } from '../../../base/instant.ts';
import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import type { Client, Pool } from '../../../db/timescale/connections/client.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { type FragmentSqlToken, NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { isChange } from '../feed/unsealed-move.ts';
import { type AssetRef, assetKey } from '../history/asset-ref.ts';
import { findByIndexes } from '../index-plans.ts';
import { readSites } from '../location/read-site.ts';
import { Site } from '../location/site.ts';
import { endOfBucket, neighbourhoodsOfStretches } from '../location/stated-neighbourhoods.ts';
import { bucketOf } from '../location/statements.ts';
import { lockPositions } from '../positions.ts';
import { revision } from '../revision.ts';
import { storedTracking } from '../stored-tracking.ts';
import { writeChanges } from '../update-histories.ts';
import { type Recomputable, recomputable } from './recomputable.ts';

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
    let isLost = false;
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
      onProgress?.(sofar);
      isLost = isKept && !(await keep(pool, orgId, { from: after, to: id }));
      if (isLost) {
        break;
      }
      after = id;
    }
    if (!isLost && ids.length > 0 && assetId === null) {
      continue;
    }
    if (!isKept || (!isLost && (await finish(pool, orgId, after)))) {
      break;
    }
    const next = await goOn(pool, orgId);
    if (next === null) {
      break;
    }
    after = next;
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

/** @returns false if somebody else went on meanwhile, or all has to be done once more. */
async function keep(
  db: Connection,
  orgId: number,
  { from, to }: { from: number; to: number },
): Promise<boolean> {
  const count = await db.exec(sql.prepared('keep-recomputation', NO_ROWS)`
    update history_recomputations set asset_id = ${to} where org_id = ${orgId} and asset_id = ${from}`);
  return count > 0;
}

/** @returns false as {@link keep} does. */
async function finish(db: Connection, orgId: number, last: number): Promise<boolean> {
  const count = await db.exec(sql.type(NO_ROWS)`
    update history_recomputations set finished_at = now() where org_id = ${orgId} and asset_id = ${last}`);
  return count > 0;
}

/** @returns the last asset that is done; null if all are. */
async function goOn(db: Connection, orgId: number): Promise<number | null> {
  const row = await db.maybeOne(sql.type(ASSET)`
    select asset_id from history_recomputations where org_id = ${orgId} and finished_at is null`);
  return row?.asset_id ?? null;
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

/** Rows of history; those written are new, or have another location or duration. */
interface Recomputed {
  written: number;
  removed: number;
  /** Changes that the sealer has to be woken for. */
  unsealed: number;
}

/**
 * Computes an asset's history and position anew from the raw scans that are kept, in pieces of some thousand scans, each
 * in a transaction of its own that holds the asset as a recorder does. Correct rows are left alone, so it may be
 * interrupted at any moment and started again.
 *
 * @param isDry counts, and writes nothing. A change that reaches over the end of a piece may be counted twice.
 */
export async function recomputeAsset(pool: Pool, asset: AssetRef, isDry: boolean): Promise<Recomputed> {
  const total = { written: 0, removed: 0, unsealed: 0 };
  for (let before: Before | null = { end: Number.NEGATIVE_INFINITY, known: null }; before !== null; ) {
    const last: Before = before;
    const { recomputed, next } = await inTransaction(pool, async (client) => {
      const piece = await recomputePiece(client, asset, last);
      if (isDry) {
        await client.exec(sql.type(NO_ROWS)`rollback`);
        await client.exec(sql.type(NO_ROWS)`begin`);
      }
      return piece;
    });
    total.written += recomputed.written;
    total.removed += recomputed.removed;
    total.unsealed += isDry ? 0 : recomputed.unsealed;
    before = next;
  }
  return total;
}

/** Scans in a transaction; some 30 ms. */
const PIECE = 4_096;

interface Before {
  end: Micros;
  known: Recomputable | null;
}

const WITHOUT_SETTINGS = new Site({ settings: [] });

async function recomputePiece(
  client: Client,
  asset: AssetRef,
  before: Before,
): Promise<{ recomputed: Recomputed; next: Before | null }> {
  await Promise.all([
    findByIndexes(client),
    // Keeps scans from being dropped between two statements.
    client.exec(sql.type(NO_ROWS)`select pg_advisory_xact_lock_shared(${ADVISORY_LOCKS.sweep})`),
  ]);
  const [position] = await lockPositions(client, [asset]);
  const known = await recomputable(client, asset, before.known);
  const sites = await readSites(client, [asset]);
  const site = sites.get(asset.orgId) ?? WITHOUT_SETTINGS;
  const nothing = { recomputed: { written: 0, removed: 0, unsealed: 0 }, next: null };
  if (position === undefined || position.lastSeen === null || known === null) {
    return nothing;
  }
  const start = Math.max(known.from, before.end + 1);
  const stored = storedTracking(client, sites);
  const [last = null] = await stored.scansAhead([{ ...asset, from: start - 1, to: start - 1 }], PIECE);
  if (last === null) {
    return nothing;
  }
  const end = endOfBucket(bucketOf(last));
  const { lastSeen, positionAt } = position;
  const neighbourhoods = await neighbourhoodsOfStretches(
    stored,
    [{ ...asset, lastSeen, positionAt, site }],
    [{ ...asset, from: start, to: end }],
  );
  const change = revision(position, neighbourhoods.get(assetKey(asset)) ?? { spans: [], stored: [] }, []);
  const { stay, newest } = change.position;
  const isAny = change.put.length > 0 || newest !== undefined || isChange({ ...change, stay });
  const unsealed = isAny ? await writeChanges(client, [change]) : 0;
  const { added, removed, changed } = change.rows;
  const written = added.length + changed.length;
  return { recomputed: { written, removed: removed.length, unsealed }, next: { end, known } };
}
