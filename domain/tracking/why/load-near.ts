import { firstIndex } from '../../../base/first-index.ts';
import type { Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { AssetRef } from '../history/asset-ref.ts';
import { DECIDING_COLUMNS, type DecidingRow } from '../history/deciding-row.ts';
import { type ScanRow, toSeen } from '../location/load-stretches.ts';
import type { Seen } from '../location/stated-locations.ts';

export interface Near {
  /** Oldest first. */
  scans: Seen[];
  /** False if there may be more. */
  isAll: boolean;
}

/** The scans from `from` to `to`, both included: the nearest `most` up to an instant, and as many after it. */
export async function loadNear(
  db: Connection,
  { orgId, assetId }: AssetRef,
  { at, from, to }: { at: Micros; from: Micros; to: Micros },
  most: number,
): Promise<Near> {
  const ofAsset = sql.fragment`org_id = ${orgId} and asset_id = ${assetId} and retraction_id is null`;
  const rows = await db.any(sql.type(rowsOf<ScanRow & DecidingRow>())`
    select micros_of_time(near.observed_at) as observed_at, near.location_id, ${DECIDING_COLUMNS}
    from (
      (select * from scan_events
       where ${ofAsset} and observed_at between time_of_micros(${from}) and time_of_micros(${at})
       order by observed_at desc limit ${most})
      union all
      (select * from scan_events
       where ${ofAsset} and observed_at > time_of_micros(${at}) and observed_at <= time_of_micros(${to})
       order by observed_at limit ${most})
    ) near
    order by near.observed_at`);
  const after = firstIndex(0, rows.length, (index) => (rows[index]?.observed_at ?? 0) > at);
  return { scans: rows.map(toSeen), isAll: after < most && rows.length - after < most };
}

/** The last scan up to an instant; null if there is none. */
export async function loadLast(
  db: Connection,
  { orgId, assetId }: AssetRef,
  at: Micros,
): Promise<Seen | null> {
  const row = await db.maybeOne(sql.type(rowsOf<ScanRow & DecidingRow>())`
    select micros_of_time(near.observed_at) as observed_at, near.location_id, ${DECIDING_COLUMNS}
    from scan_events near
    where near.org_id = ${orgId} and near.asset_id = ${assetId} and near.observed_at <= time_of_micros(${at})
      and near.retraction_id is null
    order by near.observed_at desc limit 1`);
  return row === null ? null : toSeen(row);
}
