import type { Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { AssetRef } from '../history/asset-ref.ts';
import { bucketOf, FARTHEST } from '../location/stated-locations.ts';
import { startOfBucket } from '../location/stated-neighbourhoods.ts';

/** The time from which an asset's history follows from its raw scans. Earlier history stays. */
export interface Recomputable {
  from: Micros;
  /** The oldest raw scan at the time of the answer. */
  oldest: Micros;
}

/**
 * 1. If no transition is older than the oldest raw scan, no scan that states something was dropped, and if that is more than
 *    30 s after what was dropped, no other that bears on it: everything can be recomputed.
 * 2. Otherwise dropped scans bear on those up to 30 s after the oldest: recomputable from there.
 * 3. A transition without a scan at its instant and location also shows that scans up to there were dropped (the
 *    retention may have been shorter for a while): recomputable from 30 s after it. The very first transition shows
 *    nothing if it is later than the oldest scan, which would have made an earlier one: it is merely wrong.
 *
 * @param known the previous answer, which holds until more scans are dropped.
 * @returns null if no raw scan is kept.
 */
export async function recomputable(
  db: Connection,
  asset: AssetRef,
  known: Recomputable | null,
): Promise<Recomputable | null> {
  const oldest = await oldestScan(db, asset);
  if (oldest === null || known?.oldest === oldest) {
    return oldest === null ? null : known;
  }
  const unproven = await lastUnproven(db, asset, oldest);
  const lacks = known !== null || (await isNearDropped(db, asset.orgId, oldest));
  const dropped = lacks ? Math.max(unproven ?? 0, oldest) : unproven;
  return {
    oldest,
    from: startOfBucket(
      dropped === null ? bucketOf(oldest) : bucketOf(Math.max(oldest, dropped)) + FARTHEST + 1,
    ),
  };
}

const AT = rowsOf<{ at: Micros }>();

async function oldestScan(db: Connection, { orgId, assetId }: AssetRef): Promise<Micros | null> {
  const row = await db.maybeOne(sql.prepared('oldest-scan-of-asset', AT)`
    select micros_of_time(observed_at) as at from scan_events
    where org_id = ${orgId} and asset_id = ${assetId} order by observed_at limit 1`);
  return row?.at ?? null;
}

/** Whether scans were dropped that bear on a scan. */
async function isNearDropped(db: Connection, orgId: number, at: Micros): Promise<boolean> {
  const row = await db.maybeOne(sql.prepared('scans-dropped-before', AT)`
    select micros_of_time(scans_dropped_before) as at from location_sites
    where org_id = ${orgId} and scans_dropped_before is not null`);
  return row !== null && bucketOf(at) - FARTHEST <= bucketOf(row.at);
}

async function lastUnproven(
  db: Connection,
  { orgId, assetId }: AssetRef,
  oldest: Micros,
): Promise<Micros | null> {
  const row = await db.maybeOne(sql.prepared('last-unproven-transition', AT)`
    select micros_of_time(transition.observed_at) as at from location_transitions transition
    where transition.org_id = ${orgId} and transition.asset_id = ${assetId} and coalesce((
      select false from scan_events scan
      where scan.org_id = ${orgId} and scan.asset_id = ${assetId} and scan.observed_at = transition.observed_at
        and (scan.location_id = transition.location_id or transition.proof = 'position')
      limit 1
    ), true) and (transition.observed_at <= time_of_micros(${oldest}) or exists (
      select from location_transitions earlier
      where earlier.org_id = ${orgId} and earlier.asset_id = ${assetId}
        and earlier.observed_at < transition.observed_at
    ))
    order by transition.observed_at desc limit 1`);
  return row?.at ?? null;
}
