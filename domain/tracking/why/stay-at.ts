import type { Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { AssetRef } from '../history/asset-ref.ts';
import { DECIDED_COLUMNS, type DecidingRow, toDecidingScan } from '../history/deciding-row.ts';
import type { DecidingScan } from '../history/deciding-scan.ts';

export interface StayAt {
  locationId: number;
  from: Micros;
  /** When the next stay began; null if it is the last. */
  to: Micros | null;
  /** Null if it was recorded before this was kept. */
  decidedBy: DecidingScan | null;
}

/** The stay that an instant belongs to; null before the first. */
export async function stayAt(
  db: Connection,
  { orgId, assetId }: AssetRef,
  at: Micros,
): Promise<StayAt | null> {
  const row = await db.maybeOne(
    sql.type(rowsOf<DecidingRow & { location_id: number; from: Micros; to: Micros | null }>())`
      select near.location_id, micros_of_time(near.observed_at) as "from", ${DECIDED_COLUMNS}, (
          select micros_of_time(later.observed_at) from location_transitions later
          where later.org_id = near.org_id and later.asset_id = near.asset_id and later.observed_at > near.observed_at
          order by later.observed_at limit 1) as "to"
      from location_transitions near
      where near.org_id = ${orgId} and near.asset_id = ${assetId} and near.observed_at <= time_of_micros(${at})
      order by near.observed_at desc limit 1`,
  );
  return row === null
    ? null
    : { locationId: row.location_id, from: row.from, to: row.to, decidedBy: toDecidingScan(row) };
}

/** When the asset was first seen; null if never. */
export async function firstSeen(db: Connection, { orgId, assetId }: AssetRef): Promise<Micros | null> {
  const row = await db.maybeOne(sql.type(rowsOf<{ at: Micros }>())`
    select micros_of_time(observed_at) as at from location_transitions
    where org_id = ${orgId} and asset_id = ${assetId} order by observed_at limit 1`);
  return row?.at ?? null;
}
