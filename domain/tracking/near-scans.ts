import { MICROS_PER_DAY, type Micros } from '../../base/instant.ts';
import { integers, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import {
  DECIDED_COLUMNS,
  DECIDING_COLUMNS,
  type DecidedRow,
  type DecidingRow,
  toDecidingScan,
  toTransition,
} from './history/deciding-row.ts';
import type { DecidedTransition, Sighting, Stay } from './history/history.ts';
import { microsOf } from './history/micros-of.ts';
import type { LocatedScan } from './located-scan.ts';
import { PairMap } from './pair-map.ts';
import { earliest, latest, type Position } from './positions.ts';

/** The stored surroundings of a late scan before it is written. */
export interface Near {
  /**
   * Whether it and all other late scans of its asset are at the locations of the stays that they fall into, after their
   * beginnings: then it changes nothing, whatever else was read at its instant.
   */
  isAsKnown: boolean;
  /**
   * The first two scans of the asset from its instant to the second transition, retracted ones included; if `isAsKnown` those
   * at its instant, and none unless repeats are expected. None if it is written already.
   */
  scans: readonly StoredScan[];
  /** The stay that it falls into or begins with; null if it is earlier than all. */
  before: Stay | null;
  /** The first two transitions from its instant on; none are loaded if it is at the location, or the beginning, of `before`. */
  transitions: readonly DecidedTransition[];
}

export interface StoredScan extends Sighting {
  isRetracted: boolean;
}

export interface Late {
  scan: LocatedScan;
  /** Of its asset, locked. */
  position: Position;
  /** True if this transaction wrote it. Then its surroundings are looked up afterwards, if it may change something. */
  isWritten: boolean;
}

/**
 * Loads the surroundings of late scans in two or three index look-ups each, however long the history. Most turn out to
 * change nothing by their stays: one look-up, and none within the asset's last stay. Whether such a scan is stored
 * already is looked up only where repeats are expected; elsewhere the write reveals it.
 */
export async function loadNear(
  db: Connection,
  late: readonly Late[],
  areRepeatsExpected: boolean,
): Promise<ReadonlyMap<LocatedScan, Near>> {
  if (late.length === 0) {
    return NONE;
  }
  const near = new Map<LocatedScan, Found>();
  for (const { scan, position } of late) {
    near.set(scan, { isAsKnown: true, scans: [], before: position.stay, transitions: [] });
  }
  const earlier = late
    .filter(({ scan, position: { stay } }) => stay === null || scan.observedAt < stay.since)
    .map(({ scan }) => scan);
  for (const { of: scan, row } of await inParts(
    earlier,
    (scan) => scan,
    (part) => loadTransitions(db, part),
  )) {
    const found = near.get(scan);
    if (found !== undefined) {
      found.before = beforeOf(row);
      if (row.observed_at !== null) {
        found.transitions.push(toTransition(row));
      }
    }
  }
  const elsewhere = new PairMap<number, number, true>();
  for (const [scan, { before }] of near) {
    if (!isWithin(scan, before) && !elsewhere.has(scan.orgId, scan.assetId)) {
      elsewhere.add(scan.orgId, scan.assetId, true);
    }
  }
  for (const [{ orgId, assetId }, found] of near) {
    found.isAsKnown = !elsewhere.has(orgId, assetId);
  }
  const given = late.flatMap(({ scan, position, isWritten }) => {
    const found = near.get(scan);
    return found === undefined || isWritten || (found.isAsKnown && !areRepeatsExpected)
      ? []
      : [{ scan, found, last: lastNeeded(scan, found, position) }];
  });
  for (const { of, row } of await inParts(
    given,
    ({ scan }) => scan,
    (part) => loadScans(db, part),
  )) {
    const { observed_at: observedAt, location_id: locationId, rssi, is_retracted: isRetracted } = row;
    of.found.scans.push({
      observedAt,
      locationId,
      rssi,
      isRetracted,
      scan: toDecidingScan(row),
    });
  }
  return near;
}

function isWithin({ observedAt, locationId }: LocatedScan, stay: Stay | null): boolean {
  return stay !== null && stay.locationId === locationId && stay.since < observedAt;
}

/**
 * Not simply the next transition: a search for a second scan up to there, which is rare, would visit all later chunks.
 * No scan is later than the last one seen.
 */
function lastNeeded({ observedAt }: LocatedScan, found: Near, { lastSeen }: Position): Micros {
  return found.isAsKnown ? observedAt : (found.transitions[1]?.observedAt ?? lastSeen ?? observedAt);
}

/**
 * Looks up those of the last day and earlier ones by two statements, sent together. The chunks to search depend on all
 * look-ups of a statement: one scan of last month made all others search every chunk since.
 */
async function inParts<Item, Row extends { ordinal: number }>(
  items: readonly Item[],
  scanOf: (item: Item) => LocatedScan,
  load: (part: readonly Item[]) => Promise<readonly Row[]>,
): Promise<{ of: Item; row: Row }[]> {
  const since = latest(items.map(scanOf)) - MICROS_PER_DAY;
  const { recent = [], old = [] } = Object.groupBy(items, (item) =>
    scanOf(item).observedAt < since ? 'old' : 'recent',
  );
  const parts = [recent, old].filter(({ length }) => length > 0);
  const rows = await Promise.all(parts.map(load));
  return parts.flatMap((part, index) =>
    (rows[index] ?? []).map((row) => ({ of: part[row.ordinal - 1] as Item, row })),
  );
}

const NONE: ReadonlyMap<LocatedScan, Near> = new Map();

type Found = Near & { scans: StoredScan[]; transitions: DecidedTransition[] };

const SEEN_AT = microsOf(sql.fragment`near.observed_at`);
const SINCE = microsOf(sql.fragment`before.observed_at`);

interface ScanRow extends DecidingRow {
  ordinal: number;
  observed_at: Micros;
  location_id: number;
  is_retracted: boolean;
}

function loadScans(
  db: Connection,
  late: readonly { scan: LocatedScan; last: Micros }[],
): Promise<readonly ScanRow[]> {
  const scans = late.map(({ scan }) => scan);
  const lasts = late.map(({ last }) => last);
  return db.any(sql.prepared('near-scans', rowsOf<ScanRow>())`
    select late.ordinal::integer as ordinal, ${SEEN_AT} as observed_at, near.location_id,
      near.retraction_id is not null as is_retracted, ${DECIDING_COLUMNS}
    from unnest(
      ${sql.binary(integers(scans.map(({ orgId }) => orgId)))}::integer[],
      ${sql.binary(integers(scans.map(({ assetId }) => assetId)))}::integer[],
      ${sql.binary(timestamps(scans.map(({ observedAt }) => observedAt)))}::timestamptz[],
      ${sql.binary(timestamps(lasts))}::timestamptz[])
      with ordinality as late (org_id, asset_id, observed_at, last, ordinal)
    cross join lateral (
      select * from scan_events
      where org_id = late.org_id and asset_id = late.asset_id
        and observed_at between late.observed_at and late.last
        and observed_at between time_of_micros(${earliest(scans)}::bigint)
          and time_of_micros(${lasts.reduce((a, b) => Math.max(a, b))}::bigint)
      order by observed_at limit 2
    ) near`);
}

/** Without the columns of {@link DecidedRow} if no transition follows. */
type TransitionRow = {
  ordinal: number;
  before_location_id: number | null;
  since: Micros | null;
} & (DecidedRow | { observed_at: null });

/** At least one row per scan: the transition in force, and later ones only if the scan was elsewhere. */
function loadTransitions(db: Connection, late: readonly LocatedScan[]): Promise<readonly TransitionRow[]> {
  return db.any(sql.prepared('near-transitions', rowsOf<TransitionRow>())`
    select late.ordinal::integer as ordinal,
      before.location_id as before_location_id, ${SINCE} as since,
      ${SEEN_AT} as observed_at, near.location_id, near.duration_seconds, ${DECIDED_COLUMNS}
    from unnest(
      ${sql.binary(integers(late.map(({ orgId }) => orgId)))}::integer[],
      ${sql.binary(integers(late.map(({ assetId }) => assetId)))}::integer[],
      ${sql.binary(timestamps(late.map(({ observedAt }) => observedAt)))}::timestamptz[],
      ${sql.binary(integers(late.map(({ locationId }) => locationId)))}::integer[])
      with ordinality as late (org_id, asset_id, observed_at, location_id, ordinal)
    left join lateral (
      select location_id, observed_at from location_transitions
      where org_id = late.org_id and asset_id = late.asset_id
        and observed_at <= late.observed_at and observed_at <= time_of_micros(${latest(late)}::bigint)
      order by observed_at desc limit 1
    ) before on true
    left join lateral (
      select * from location_transitions
      where org_id = late.org_id and asset_id = late.asset_id
        and observed_at >= late.observed_at and observed_at >= time_of_micros(${earliest(late)}::bigint)
        and before.location_id is distinct from late.location_id
        and before.observed_at is distinct from late.observed_at
      order by observed_at limit 2
    ) near on true`);
}

function beforeOf({ before_location_id: locationId, since }: TransitionRow): Stay | null {
  return locationId === null || since === null ? null : { locationId, since };
}
