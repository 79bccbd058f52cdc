import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { AssetRef } from '../history/asset-ref.ts';
import { DECIDED_COLUMNS, type DecidedRow, toTransition } from '../history/deciding-row.ts';
import { compareDeciding, type DecidingScan } from '../history/deciding-scan.ts';
import type { MetricPosition } from '../history/metric-position.ts';
import { placeLocations, readSites } from '../location/read-site.ts';
import { Site } from '../location/site.ts';
import {
  BUCKET,
  bucketOf,
  type Evidence,
  type Explained,
  explain as explainScan,
  FARTHEST,
  REACHES,
  type Rule,
  type Seen,
} from '../location/stated-locations.ts';
import { endOfBucket, startOfBucket } from '../location/stated-neighbourhoods.ts';
import { loadLast, loadNear } from './load-near.ts';
import { type Rival, rivalsOf } from './rivals.ts';
import { type SaidBefore, saidBefore } from './said-before.ts';

/** Why an asset is said to have been somewhere, or why that is undecided. */
export interface Explanation {
  /** Null: no scan up to then states where it is. */
  stay: Stay | null;
  /** The first scan of the stay; null if it was recorded before this was kept. */
  decidedBy: DecidingScan | null;
  /** Why that scan states where the asset is; null if that is not known any more. */
  rule: Rule | null;
  /**
   * What was heard around that scan. Null if nothing had to be proven, once the raw scans are gone, and if there are
   * too many.
   */
  evidence: Evidence | null;
  /** True if too many scans lie around the deciding one; then `evidence` is left out. */
  isTooMuch: boolean;
  /** False if `evidence` leads elsewhere now: offsets, pins, plans or the tree of locations are others than they were. */
  isAsRecorded: boolean;
  /** The last scan up to the instant, where proof is asked for; null if it is in the deciding scan's half second. */
  latest: Latest | null;
  /** Null once the raw scans are gone. */
  rivals: Rival[] | null;
  /** The reads around the deciding scan, oldest first; null once the raw scans are gone. */
  around: Seen[] | null;
  /** True if only the nearest reads are in `around` and `rivals`. */
  isCut: boolean;
  /** Oldest first. */
  saidBefore: SaidBefore[];
}

export interface Stay {
  locationId: number;
  from: Micros;
  /** When the next stay began; null if it is the last. */
  to: Micros | null;
  /** The position where it began; null if unknown. */
  position: MetricPosition | null;
}

export interface Latest {
  at: Micros;
  /** The location stated by the scans of that half second; null if they state nothing. */
  locationId: number | null;
  /** Null if they state nothing. */
  rule: Rule | null;
  /** Null if too many scans lie around it. */
  evidence: Evidence | null;
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
 * reason comes from the function that decided when the scan was recorded.
 */
export async function explain(
  db: Connection,
  asset: AssetRef,
  at: Micros | null,
): Promise<Explanation | NotSeenYet> {
  const { site, stay, last } = await upTo(db, asset, at ?? LATEST);
  if (stay === null) {
    const latest = last === null ? null : await latestOf(db, asset, last, site);
    return latest === null
      ? new NotSeenYet(await firstSeen(db, asset))
      : { ...UNDECIDED, latest, saidBefore: await saidBefore(db, asset, at ?? latest.at) };
  }
  const { decidedBy, ...where } = stay;
  const { locationId, from } = where;
  const near = (await isKept(db, asset, from))
    ? await loadNear(db, asset, { at: from, from: from - REACH, to: from + REACH }, MOST)
    : null;
  const deciding = near?.scans.find(
    (scan) =>
      scan.observedAt === from &&
      (decidedBy === null ? scan.locationId === locationId : compareDeciding(scan.scan, decidedBy) === 0),
  );
  const explained = deciding === undefined ? null : await explainNear(db, asset, deciding, site);
  const isAsRecorded = explained === null || explained.locationId === locationId;
  const isLater = last !== null && bucketOf(last.observedAt) > bucketOf(from);
  return {
    stay: where,
    decidedBy: decidedBy ?? deciding?.scan ?? null,
    rule: storedRule(stay, site) ?? (isAsRecorded ? (explained?.rule ?? null) : null),
    evidence: explained?.evidence ?? null,
    isTooMuch: deciding !== undefined && explained === null,
    isAsRecorded,
    latest: isLater ? await latestOf(db, asset, last, site) : null,
    ...(near === null
      ? { rivals: null, around: null, isCut: false }
      : {
          rivals: rivalsOf(deciding, near.scans, { at: from, locationId, stated: explained?.stated, site }),
          around: nearest(near.scans, from),
          isCut: !near.isAll || near.scans.length > MOST,
        }),
    saidBefore: await saidBefore(db, asset, at ?? from),
  };
}

/** Where an asset is, and how its last reads decide, without its past. Call in a snapshot. */
export async function explainLatest(db: Connection, asset: AssetRef): Promise<Explanation> {
  const { site, stay, last } = await upTo(db, asset, LATEST);
  const latest = last === null ? null : await latestOf(db, asset, last, site);
  return { ...UNDECIDED, stay, latest, saidBefore: [] };
}

/** The stay of an instant and the last scan up to it. */
async function upTo(db: Connection, asset: AssetRef, at: Micros) {
  const site = (await readSites(db, [asset])).get(asset.orgId) ?? NOTHING_SET;
  const stay = await stayAt(db, asset, at);
  const last = await loadLast(db, asset, at);
  await placeLocations(
    db,
    asset.orgId,
    site,
    [stay, last].flatMap((each) => each ?? []),
  );
  return { site, stay, last };
}

const NOTHING_SET = new Site({ settings: [] });

const UNDECIDED = {
  ...{ stay: null, decidedBy: null, rule: null, evidence: null, isTooMuch: false, isAsRecorded: true },
  ...{ rivals: null, around: null, isCut: false },
};

/** The part of the explanation that is kept for good. */
function storedRule({ decidedBy, locationId, from }: Stay & Decided, site: Site): Rule | null {
  if (decidedBy === null) {
    return null;
  }
  if (decidedBy.source.kind === 'handheld') {
    return 'person';
  }
  // Without proof it was by every scan, unless a proof of old is unknown by now.
  return decidedBy.proof ?? (site.settingAt(locationId, from).procedure === 'every' ? 'every' : null);
}

/**
 * Loads only scans that affect the decision: for a tag that is read often, those of a few seconds.
 *
 * @returns null if there are too many.
 */
async function explainNear(
  db: Connection,
  asset: AssetRef,
  scan: Seen,
  site: Site,
): Promise<Explained | null> {
  const bucket = bucketOf(scan.observedAt);
  for (const reach of REACHES) {
    const from = startOfBucket(bucket - reach);
    const to = endOfBucket(bucket + reach);
    const { scans, isAll } = await loadNear(db, asset, { at: scan.observedAt, from, to }, MOST_EXPLAINED);
    if (!isAll) {
      return null;
    }
    await placeLocations(db, asset.orgId, site, scans);
    const explained = await explainScan(scans, site, scan);
    if (explained.evidence === null || explained.evidence.window.from >= from) {
      return explained;
    }
  }
  return null;
}

/** The statements of a half second; null if nothing had to be proven. */
async function latestOf(db: Connection, asset: AssetRef, scan: Seen, site: Site): Promise<Latest | null> {
  const at = scan.observedAt;
  if (scan.scan.source.kind === 'handheld' || site.settingAt(scan.locationId, at).procedure === 'every') {
    return null;
  }
  const explained = await explainNear(db, asset, scan, site);
  const evidence = explained?.evidence ?? null;
  const stated = explained?.stated ?? [];
  // Without proof, scans of the half second may state by themselves: where every scan counts, and a person's.
  const said =
    stated.find(({ rule, locationId }) => rule === evidence?.proof && locationId === evidence.locationId) ??
    stated.filter(({ observedAt }) => observedAt <= at).toSorted((a, b) => b.observedAt - a.observedAt)[0];
  return { at, locationId: said?.locationId ?? null, rule: said?.rule ?? null, evidence };
}

/** Scans to read before an explained scan, and as many after it: 2,000 a second. */
const MOST_EXPLAINED = 10_000;

/** Year 2200: later than any scan. */
const LATEST: Micros = Date.UTC(2200, 0) * 1_000;

/** How far to both sides the picture of reads extends. */
const REACH: Micros = 60 * MICROS_PER_SECOND;

/** The most reads that a picture can show. */
const MOST = 400;

/** The {@link MOST} scans around an instant, oldest first. */
function nearest(scans: readonly Seen[], at: Micros): Seen[] {
  return scans
    .toSorted((a, b) => Math.abs(a.observedAt - at) - Math.abs(b.observedAt - at))
    .slice(0, MOST)
    .toSorted((a, b) => a.observedAt - b.observedAt);
}

/** Stays whose scans may be searched before a deciding scan, and as many after it. */
const MOST_PROVEN = 200;

const WINDOW: Micros = (FARTHEST + 1) * BUCKET;

/**
 * True if no scan that bears on the deciding one was dropped. `recompute/recomputable.ts` finds this for a whole
 * history by the same rules; here only the stays nearby are looked at.
 */
async function isKept(db: Connection, { orgId, assetId }: AssetRef, at: Micros): Promise<boolean> {
  const ofAsset = sql.fragment`org_id = ${orgId} and asset_id = ${assetId}`;
  const { is_kept: isKept } = await db.one(sql.type(rowsOf<{ is_kept: boolean }>())`
    select coalesce(
      oldest.at <= time_of_micros(${at})
      and (oldest.at <= time_of_micros(${at - WINDOW}) or (oldest.at <= first.at and not exists (
        select from location_sites
        where org_id = ${orgId} and scans_dropped_before > time_of_micros(${at - WINDOW}))))
      and not exists (
        select from (
          (select observed_at, location_id, proof from location_transitions
           where ${ofAsset} and observed_at > time_of_micros(${at - WINDOW}) and observed_at <= time_of_micros(${at})
           order by observed_at desc limit ${MOST_PROVEN})
          union all
          (select observed_at, location_id, proof from location_transitions
           where ${ofAsset} and observed_at > time_of_micros(${at}) and observed_at <= time_of_micros(${at + WINDOW})
           order by observed_at limit ${MOST_PROVEN})
        ) near
        where (near.observed_at <= oldest.at or near.observed_at > first.at) and coalesce((
          select false from scan_events scan
          where scan.org_id = ${orgId} and scan.asset_id = ${assetId} and scan.observed_at = near.observed_at
            and (scan.location_id = near.location_id or near.proof = 'position')
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

/** Null if it was recorded before this was kept. */
interface Decided {
  decidedBy: DecidingScan | null;
}

/** The stay that an instant belongs to; null before the first. */
async function stayAt(
  db: Connection,
  { orgId, assetId }: AssetRef,
  at: Micros,
): Promise<(Stay & Decided) | null> {
  const row = await db.maybeOne(
    sql.type(rowsOf<DecidedRow & { to: Micros | null }>())`
      select micros_of_time(near.observed_at) as observed_at, near.location_id, near.duration_seconds,
        ${DECIDED_COLUMNS}, (
          select micros_of_time(later.observed_at) from location_transitions later
          where later.org_id = near.org_id and later.asset_id = near.asset_id and later.observed_at > near.observed_at
          order by later.observed_at limit 1) as "to"
      from location_transitions near
      where near.org_id = ${orgId} and near.asset_id = ${assetId} and near.observed_at <= time_of_micros(${at})
      order by near.observed_at desc limit 1`,
  );
  if (row === null) {
    return null;
  }
  const { observedAt: from, locationId, decidedBy, position = null } = toTransition(row);
  return { locationId, from, to: row.to, position, decidedBy };
}

/** When the asset was first seen; null if never. */
async function firstSeen(db: Connection, { orgId, assetId }: AssetRef): Promise<Micros | null> {
  const row = await db.maybeOne(sql.type(rowsOf<{ at: Micros }>())`
    select micros_of_time(observed_at) as at from location_transitions
    where org_id = ${orgId} and asset_id = ${assetId} order by observed_at limit 1`);
  return row?.at ?? null;
}
