import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { AssetRef } from '../history/asset-ref.ts';
import { DECIDED_COLUMNS, type DecidingRow, toDecidingScan } from '../history/deciding-row.ts';
import type { DecidingScan } from '../history/deciding-scan.ts';
import { loadNearestScans } from '../location/load-stretches.ts';
import { type Reason, reasonAt, type Seen } from '../smoothing/counting.ts';
import { readSmoothing } from '../smoothing/read-settings.ts';
import { MAX_WINDOW, SmoothingSettings } from '../smoothing/settings.ts';
import { type Rival, rivalsOf } from './rivals.ts';
import { type SaidBefore, saidBefore } from './said-before.ts';

/** Why an asset is said to have been somewhere. */
export interface Explanation {
  stay: { locationId: number; from: Micros; to: Micros | null };
  /** The first scan of the stay that counts; null if it was recorded before this was kept. */
  decidedBy: DecidingScan | null;
  /** Why that scan counts; null if that is not known any more. */
  reason: Reason | null;
  /** Null once the raw scans are gone. */
  rivals: Rival[] | null;
  /** All reads around the deciding scan, oldest first; null once the raw scans are gone. */
  around: Seen[] | null;
  /** Oldest first. */
  saidBefore: SaidBefore[];
}

/** There is nothing to explain: the asset was seen later, or never (null). */
export class NotSeenYet {
  readonly firstSeen: Micros | null;

  constructor(firstSeenAt: Micros | null) {
    this.firstSeen = firstSeenAt;
  }
}

/**
 * Explains where an asset was at an instant, or where it is now, however long its history is. Call in a snapshot. The
 * reason comes from the function that judged the scan when it was recorded.
 */
export async function explain(
  db: Connection,
  asset: AssetRef,
  at: Micros | null,
): Promise<Explanation | NotSeenYet> {
  const stay = await stayAt(db, asset, at ?? LATEST);
  if (stay === null) {
    return new NotSeenYet(await firstSeen(db, asset));
  }
  const { locationId, from, to, decidedBy } = stay;
  const settings = (await readSmoothing(db, [asset.orgId])).get(asset.orgId) ?? new SmoothingSettings([]);
  const near = (await isKept(db, asset, from))
    ? await loadNearestScans(db, { ...asset, observedAt: from }, MAX_WINDOW, MOST_SCANS)
    : null;
  const scans =
    near?.scans.map((scan) => ({ ...scan, isByPerson: scan.scan.source.kind === 'handheld' })) ?? null;
  return {
    stay: { locationId, from, to },
    decidedBy: decidedBy ?? scans?.find(({ observedAt }) => observedAt === from)?.scan ?? null,
    reason:
      near?.isAll && scans !== null
        ? await reasonAt(scans, settings, from)
        : storedReason(decidedBy, { locationId, from }, settings),
    rivals: scans === null ? null : rivalsOf({ at: from, locationId }, scans, settings),
    around: scans === null ? null : scansNear(scans, from),
    saidBefore: await saidBefore(db, asset, at ?? from),
  };
}

/** Scans that are looked at before a deciding scan, and as many after it. */
const MOST_SCANS = 5_000;

/** Stays whose scans are looked for before a deciding scan, and as many after it. */
const MOST_PROVEN = 200;

/**
 * True if no scan within a window of the deciding one was dropped. `recompute/recomputable.ts` finds this for a whole
 * history by the same rules; here only the stays nearby are looked at.
 */
async function isKept(db: Connection, { orgId, assetId }: AssetRef, at: Micros): Promise<boolean> {
  const ofAsset = sql.fragment`org_id = ${orgId} and asset_id = ${assetId}`;
  const { is_kept: isKept } = await db.one(sql.type(rowsOf<{ is_kept: boolean }>())`
    select coalesce(
      oldest.at <= time_of_micros(${at})
      and (oldest.at <= time_of_micros(${at - MAX_WINDOW}) or oldest.at <= first.at)
      and not exists (
        select from (
          (select observed_at, location_id from location_transitions
           where ${ofAsset} and observed_at > time_of_micros(${at - MAX_WINDOW}) and observed_at <= time_of_micros(${at})
           order by observed_at desc limit ${MOST_PROVEN})
          union all
          (select observed_at, location_id from location_transitions
           where ${ofAsset} and observed_at > time_of_micros(${at}) and observed_at <= time_of_micros(${at + MAX_WINDOW})
           order by observed_at limit ${MOST_PROVEN})
        ) near
        where (near.observed_at <= oldest.at or near.observed_at > first.at) and coalesce((
          select false from scan_events scan
          where scan.org_id = ${orgId} and scan.asset_id = ${assetId} and scan.observed_at = near.observed_at
            and scan.location_id = near.location_id
          limit 1
        ), true)
      ), false) as is_kept
    from (select (
      select observed_at from scan_events where ${ofAsset} order by observed_at limit 1
    ) as at) oldest, (select (
      select observed_at from location_transitions where ${ofAsset} order by observed_at limit 1
    ) as at) first`);
  return isKept;
}

/** What can be said from the deciding scan alone. */
function storedReason(
  decidedBy: DecidingScan | null,
  { locationId, from }: { locationId: number; from: Micros },
  settings: SmoothingSettings,
): Reason | null {
  if (decidedBy?.source.kind === 'handheld') {
    return 'person';
  }
  if (decidedBy === null) {
    return null;
  }
  return settings.at(locationId, from) === null ? 'smoothing_off' : null;
}

/** Year 2200: later than any scan. */
const LATEST: Micros = Date.UTC(2200, 0) * 1_000;

/** How far to both sides a picture of what was read goes. */
const REACH: Micros = 60 * MICROS_PER_SECOND;

/** As many reads as a picture can show. */
const MOST = 400;

/** The scans around an instant, oldest first; the nearest of them if they are too many. */
function scansNear(scans: readonly Seen[], at: Micros): Seen[] {
  return scans
    .filter(({ observedAt }) => Math.abs(observedAt - at) <= REACH)
    .toSorted((a, b) => Math.abs(a.observedAt - at) - Math.abs(b.observedAt - at))
    .slice(0, MOST)
    .toSorted((a, b) => a.observedAt - b.observedAt);
}

interface StayAt {
  locationId: number;
  from: Micros;
  /** When the next stay began; null if it is the last. */
  to: Micros | null;
  /** Null if it was recorded before this was kept. */
  decidedBy: DecidingScan | null;
}

/** The stay that an instant belongs to; null before the first. */
async function stayAt(db: Connection, { orgId, assetId }: AssetRef, at: Micros): Promise<StayAt | null> {
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
async function firstSeen(db: Connection, { orgId, assetId }: AssetRef): Promise<Micros | null> {
  const row = await db.maybeOne(sql.type(rowsOf<{ at: Micros }>())`
    select micros_of_time(observed_at) as at from location_transitions
    where org_id = ${orgId} and asset_id = ${assetId} order by observed_at limit 1`);
  return row?.at ?? null;
}
