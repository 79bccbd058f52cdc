import { leastOf } from '../../../base/extremes.ts';
import type { Micros } from '../../../base/instant.ts';
import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import type { Client, Pool } from '../../../db/timescale/connections/client.ts';
import { findByIndexes, inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { type FragmentSqlToken, NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { AssetRef } from '../history/asset-ref.ts';
import { readSites } from '../location/read-site.ts';
import { lockPositions } from '../positions.ts';
import { withoutRetracted } from '../retractions/without-retracted.ts';
import { reviseAlerts } from '../revise-alerts.ts';
import { storedTracking } from '../stored-tracking.ts';
import { writeChanges } from '../update-histories.ts';
import {
  firstObserved,
  inWindow,
  isObservedEarlier,
  isReceivedEarlier,
  observedEarlier,
  receivedEarlier,
  type WrongClock,
} from './wrong-clock.ts';

export interface MendedSoFar {
  /** Assets with redated scans. */
  assets: number;
  scans: number;
}

export interface Mending {
  /** Stops after the current asset. */
  signal?: AbortSignal | undefined;
  onProgress?(sofar: MendedSoFar): void;
  /** Called after commits that changed the feeds of these organizations. */
  onMoves?(orgIds: readonly number[]): void;
}

/**
 * Redates an organization's scans that a wrong clock recorded, asset by asset.
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

/** Assets seen since the mended time began. */
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

interface MendedAsset {
  /** Dated again. */
  scans: number;
  /** Changes of its history for which the sealer must be woken. */
  unsealed: number;
}

/** Scans in a transaction. */
const PIECE = 1_000;

/**
 * Redates an asset's scans of a wrong clock, and updates its history and position, in pieces: each in a transaction
 * that locks the asset as a recorder does, and leaves everything consistent. So it may be interrupted and restarted at
 * any time.
 */
async function mendAsset(pool: Pool, asset: AssetRef, clock: WrongClock): Promise<MendedAsset> {
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

/** @param isMoving mends scans dated by their reception; else the others. */
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
  const [, sites] = await Promise.all([
    reviseAlerts(client, [{ ...asset, since: leastOf(instants) }]),
    readSites(client, [asset]),
  ]);
  const changes = await withoutRetracted(storedTracking(client, sites), [{ position, instants }], sites);
  return { mended, unsealed: await writeChanges(client, changes) };
}

/** Scans of an asset, observed from `since` on, the earliest first. */
interface Piece {
  asset: AssetRef;
  clock: WrongClock;
  since: Micros;
  most: number;
}

/** The time of a scan before and after mending. */
interface MendedScan {
  before: Micros;
  now: Micros;
}

/**
 * Says of scans that count by their devices' times that they were received earlier; their asset's position is locked.
 *
 * @returns the earliest first.
 */
function receiveEarlier(db: Connection, piece: Piece): Promise<MendedScan[]> {
  return mended(
    db,
    sql.fragment`
    with wrong as materialized (${wrongOf(piece, isReceivedEarlier(piece.clock))})
    update scan_events set received_at = ${receivedEarlier(piece.clock)}
    from wrong where scan_events.ctid = wrong.row and scan_events.tableoid = wrong.part
    returning micros_of_time(scan_events.observed_at) as before, micros_of_time(scan_events.observed_at) as now`,
  );
}

/**
 * Dates scans by their mended reception; their asset's position is locked. Where one meets another read of the same tag at
 * the same antenna, or a copy of it that is stored already, they become one, as strong as the stronger.
 *
 * They are deleted and written again, because a hypertable moves no rows between its chunks. The sort has all deleted before
 * the first is written.
 *
 * @returns the earliest first.
 */
function observeEarlier(db: Connection, piece: Piece): Promise<MendedScan[]> {
  return mended(
    db,
    sql.fragment`
    with wrong as materialized (${wrongOf(piece, isObservedEarlier(piece.clock))}), gone as (
      delete from scan_events using wrong
      where scan_events.ctid = wrong.row and scan_events.tableoid = wrong.part
      returning scan_events.*, ${observedEarlier(piece.clock)} as becomes, ${receivedEarlier(piece.clock)} as received
    ), written as (
      insert into scan_events as known (org_id, asset_id, location_id, observed_at, received_at, time_is_received,
        tag_type, tag_value, rssi, reader_id, antenna, handheld_id, submission_id, submission_index, retraction_id)
      select distinct on (becomes, reader_id, antenna, tag_type, tag_value, submission_id, submission_index)
        org_id, asset_id, location_id, becomes, received, reader_id is not null, tag_type, tag_value, rssi,
        reader_id, antenna, handheld_id, submission_id, submission_index, retraction_id
      from gone
      order by becomes, reader_id, antenna, tag_type, tag_value, submission_id, submission_index,
        rssi desc nulls last, observed_at
      on conflict (org_id, observed_at, reader_id, antenna, tag_type, tag_value) where reader_id is not null
      do update set rssi = excluded.rssi
      where known.asset_id = excluded.asset_id and known.location_id = excluded.location_id
        and (known.rssi is null or known.rssi < excluded.rssi)
    )
    select micros_of_time(observed_at) as before, micros_of_time(becomes) as now from gone`,
  );
}

function wrongOf({ asset, clock, since, most }: Piece, isWrong: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
      select tableoid as part, ctid as row from scan_events
      where ${inWindow(asset.orgId, clock)} and asset_id = ${asset.assetId}::integer
        and observed_at >= time_of_micros(${since}::bigint) and ${isWrong}
      order by observed_at limit ${most}::integer`;
}

async function mended(db: Connection, statement: FragmentSqlToken): Promise<MendedScan[]> {
  const rows = await db.any(sql.type(rowsOf<MendedScan>())`${statement}`);
  return rows.toSorted((a, b) => a.before - b.before);
}
