import type { Micros } from '../../../base/instant.ts';
import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import type { Client, Pool } from '../../../db/timescale/connections/client.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { NO_ROWS, sql } from '../../../db/timescale/queries/sql.ts';
import { isChange } from '../feed/unsealed-move.ts';
import { type AssetRef, assetKey } from '../history/asset-ref.ts';
import { findByIndexes } from '../index-plans.ts';
import { lockPositions } from '../positions.ts';
import { revision } from '../revision.ts';
import { readSmoothing } from '../smoothing/read-settings.ts';
import { SmoothingSettings } from '../smoothing/settings.ts';
import { neighbourhoodsOfStretches } from '../smoothing/smoothed-neighbourhoods.ts';
import { storedTracking } from '../stored-tracking.ts';
import { writeChanges } from '../update-histories.ts';
import { type Recomputable, recomputable } from './recomputable.ts';

/** Rows of history; those written are new, or have another location or duration. */
export interface Recomputed {
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
  const settings = (await readSmoothing(client, [asset.orgId])).get(asset.orgId);
  const nothing = { recomputed: { written: 0, removed: 0, unsealed: 0 }, next: null };
  if (position === undefined || position.lastSeen === null || known === null) {
    return nothing;
  }
  const start = Math.max(known.from, before.end + 1);
  const stored = storedTracking(client);
  const [end = null] = await stored.scansAhead([{ ...asset, from: start - 1, to: start - 1 }], PIECE);
  if (end === null) {
    return nothing;
  }
  const { lastSeen } = position;
  const neighbourhoods = await neighbourhoodsOfStretches(
    stored,
    [{ ...asset, lastSeen, settings: settings ?? new SmoothingSettings([]) }],
    [{ ...asset, from: start, to: end }],
  );
  const change = revision(position, neighbourhoods.get(assetKey(asset)) ?? { spans: [], stored: [] }, []);
  const isAny = change.put.length > 0 || isChange({ ...change, stay: change.position.stay });
  const unsealed = isAny ? await writeChanges(client, [change]) : 0;
  const { added, removed, changed } = change.rows;
  const written = added.length + changed.length;
  return { recomputed: { written, removed: removed.length, unsealed }, next: { end, known } };
}
