import type { Micros } from '../../../base/instant.ts';
import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import type { Client, Pool } from '../../../db/timescale/connections/client.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { NO_ROWS, sql } from '../../../db/timescale/queries/sql.ts';
import { type AssetRef, assetKey } from '../history/asset-ref.ts';
import { findByIndexes } from '../index-plans.ts';
import { lockPositions, type Position } from '../positions.ts';
import { type Change, revision } from '../revision.ts';
import { readSmoothing } from '../smoothing/read-settings.ts';
import { SmoothingSettings } from '../smoothing/settings.ts';
import { neighbourhoodsOfStretches } from '../smoothing/smoothed-neighbourhoods.ts';
import { storedTracking } from '../stored-tracking.ts';
import { writeChanges } from '../update-histories.ts';
import { type Recomputable, recomputable } from './recomputable.ts';

/** What computing anew changed. */
export interface Recomputed {
  /** Rows of history that were written, new or with another location or duration. */
  written: number;
  /** Rows of history that are gone. */
  removed: number;
}

/**
 * Computes an asset's history and position anew from the raw scans that are kept, in pieces of some thousand scans, each
 * in a transaction of its own that holds the asset as a recorder does. What is there already is left alone, so it may be
 * broken off at any moment and begun again.
 *
 * @param isDry counts, and writes nothing. Then a change that reaches over a piece's end may be counted twice.
 */
export async function recomputeAsset(pool: Pool, asset: AssetRef, isDry: boolean): Promise<Recomputed> {
  const total = { written: 0, removed: 0 };
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
    before = next;
  }
  return total;
}

/** How many scans are computed anew in a transaction; 30 ms or so. */
const PIECE = 4_096;

/** The piece before: where it ended, and what was known then. */
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
    // So that no scans are dropped between one statement and the next.
    client.exec(sql.type(NO_ROWS)`select pg_advisory_xact_lock_shared(${ADVISORY_LOCKS.sweep})`),
  ]);
  const [position] = await lockPositions(client, [asset]);
  const known = await recomputable(client, asset, before.known);
  const settings = (await readSmoothing(client, [asset.orgId])).get(asset.orgId);
  const nothing = { recomputed: { written: 0, removed: 0 }, next: null };
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
  const change = revision(position, neighbourhoods.get(assetKey(asset)) ?? { windows: [], stored: [] }, []);
  if (isAny(change, position)) {
    await writeChanges(client, [change]);
  }
  return { recomputed: { written: change.put.length, removed: change.gone.length }, next: { end, known } };
}

function isAny({ put, gone, position: { stay } }: Change, before: Position): boolean {
  return (
    put.length + gone.length > 0 ||
    stay?.since !== before.stay?.since ||
    stay?.locationId !== before.stay?.locationId
  );
}
