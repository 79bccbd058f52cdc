import type { Micros } from '../../../base/instant.ts';
import { type FragmentSqlToken, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { AssetRef } from '../history/asset-ref.ts';
import {
  inWindow,
  isObservedEarlier,
  isReceivedEarlier,
  observedEarlier,
  receivedEarlier,
  type WrongClock,
} from './wrong-clock.ts';

/** Scans of an asset, observed from `since` on, the earliest first. */
export interface Piece {
  asset: AssetRef;
  clock: WrongClock;
  since: Micros;
  most: number;
}

/** When a scan was observed, as it was said before and as it is now. */
export interface MendedScan {
  before: Micros;
  now: Micros;
}

/**
 * Says of scans that count by their devices' times that they were received earlier; their asset's position is locked.
 *
 * @returns the earliest first.
 */
export function receiveEarlier(db: Connection, piece: Piece): Promise<MendedScan[]> {
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
 * They are deleted and written anew, because a hypertable moves no rows between its chunks. The sort has all deleted before
 * the first is written.
 *
 * @returns the earliest first.
 */
export function observeEarlier(db: Connection, piece: Piece): Promise<MendedScan[]> {
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
