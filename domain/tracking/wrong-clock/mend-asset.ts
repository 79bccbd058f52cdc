import { leastOf } from '../../../base/extremes.ts';
import type { Micros } from '../../../base/instant.ts';
import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import type { Client, Pool } from '../../../db/timescale/connections/client.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { NO_ROWS, sql } from '../../../db/timescale/queries/sql.ts';
import type { AssetRef } from '../history/asset-ref.ts';
import { findByIndexes } from '../index-plans.ts';
import { lockPositions } from '../positions.ts';
import { withoutRetracted } from '../retractions/without-retracted.ts';
import { reviseAlerts } from '../revise-alerts.ts';
import { readSmoothing } from '../smoothing/read-settings.ts';
import { storedTracking } from '../stored-tracking.ts';
import { writeChanges } from '../update-histories.ts';
import { type MendedScan, observeEarlier, type Piece, receiveEarlier } from './mend-scans.ts';
import { firstObserved, type WrongClock } from './wrong-clock.ts';

export interface MendedAsset {
  /** Dated anew. */
  scans: number;
  /** Changes of its history that the sealer has to be woken for. */
  unsealed: number;
}

/** Scans in a transaction. */
const PIECE = 1_000;

/**
 * Dates an asset's scans of a wrong clock anew, and brings its history and position to what they would be, in pieces: each
 * in a transaction that holds the asset as a recorder does, and leaves what follows from the scans as they are then. So it
 * may be interrupted at any moment, and started again.
 */
export async function mendAsset(pool: Pool, asset: AssetRef, clock: WrongClock): Promise<MendedAsset> {
  const total = { scans: 0, unsealed: 0 };
  for (const isMoving of [false, true]) {
    for (let since: Micros | undefined = firstObserved(clock); since !== undefined; ) {
      const piece: Piece = { asset, clock, since, most: PIECE };
      const { mended, unsealed } = await inTransaction(pool, (client) => mendPiece(client, piece, isMoving));
      total.scans += mended.length;
      total.unsealed += unsealed;
      since = mended.at(-1)?.before;
    }
  }
  return total;
}

/** @param isMoving mends those that are dated by their reception; else the others. */
async function mendPiece(
  client: Client,
  piece: Piece,
  isMoving: boolean,
): Promise<{ mended: MendedScan[]; unsealed: number }> {
  const { asset } = piece;
  await Promise.all([
    findByIndexes(client),
    // Keeps scans from being dropped between two statements.
    client.exec(sql.type(NO_ROWS)`select pg_advisory_xact_lock_shared(${ADVISORY_LOCKS.sweep})`),
  ]);
  const [position] = await lockPositions(client, [asset]);
  const mended = await (isMoving ? observeEarlier : receiveEarlier)(client, piece);
  if (position === undefined || mended.length === 0) {
    return { mended: [], unsealed: 0 };
  }
  const instants = mended.flatMap(({ before, now }) => [before, now]);
  const [, smoothing] = await Promise.all([
    reviseAlerts(client, [{ ...asset, since: leastOf(instants) }]),
    readSmoothing(client, [asset.orgId]),
  ]);
  const changes = await withoutRetracted(storedTracking(client), [{ position, instants }], smoothing);
  return { mended, unsealed: await writeChanges(client, changes) };
}
