import type { Micros } from '../../base/instant.ts';
import { integers, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import { type FragmentSqlToken, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import {
  DECIDED_COLUMNS,
  DECIDING_COLUMNS,
  type DecidingRow,
  toDecidingScan,
} from './history/deciding-row.ts';
import type { DecidedTransition, Sighting, Stay } from './history/history.ts';
import type { LocatedScan } from './located-scan.ts';
import type { Position } from './positions.ts';
import { earliest, latest } from './touched.ts';

/** What is stored around a late scan, before that is written. */
export interface Near {
  /** The first two scans of the asset from its instant on, retracted ones included. */
  scans: readonly StoredScan[];
  /** The stay that it falls into; null if it is earlier than all. */
  before: Stay | null;
  /** The first two transitions from its instant on; none are loaded if it is at the location of `before`. */
  transitions: readonly DecidedTransition[];
}

export interface StoredScan extends Sighting {
  isRetracted: boolean;
}

export interface Late {
  scan: LocatedScan;
  /** Of its asset, locked. */
  position: Position;
}

/**
 * Loads what says whether late scans are stored already, and what they change, in two or three index look-ups for each,
 * however long the history; one for a scan within the asset's last stay.
 */
export async function loadNear(
  db: Connection,
  late: readonly Late[],
): Promise<ReadonlyMap<LocatedScan, Near>> {
  if (late.length === 0) {
    return NONE;
  }
  const earlier = late.filter(
    ({ scan, position: { stay } }) => stay === null || scan.observedAt < stay.since,
  );
  const [scans, transitions] = await Promise.all([
    loadScans(
      db,
      late.map(({ scan }) => scan),
    ),
    earlier.length === 0
      ? []
      : loadTransitions(
          db,
          earlier.map(({ scan }) => scan),
        ),
  ]);
  const near = new Map<LocatedScan, Near & { scans: StoredScan[]; transitions: DecidedTransition[] }>();
  for (const { scan, position } of late) {
    near.set(scan, { scans: [], before: position.stay, transitions: [] });
  }
  for (const row of scans) {
    const { observed_at: observedAt, location_id: locationId, rssi, is_retracted: isRetracted } = row;
    const found = near.get(late[row.ordinal - 1]?.scan as LocatedScan);
    found?.scans.push({ observedAt, locationId, rssi, isRetracted, scan: toDecidingScan(row) });
  }
  for (const row of transitions) {
    const found = near.get(earlier[row.ordinal - 1]?.scan as LocatedScan);
    if (found !== undefined) {
      found.before = beforeOf(row);
      if (row.observed_at !== null) {
        found.transitions.push(toTransition(row));
      }
    }
  }
  return near;
}

const NONE: ReadonlyMap<LocatedScan, Near> = new Map();

interface ScanRow extends DecidingRow {
  ordinal: number;
  observed_at: Micros;
  location_id: number;
  is_retracted: boolean;
}

function loadScans(db: Connection, late: readonly LocatedScan[]): Promise<readonly ScanRow[]> {
  return db.any(sql.prepared('near-scans', rowsOf<ScanRow>())`
    select late.ordinal::integer as ordinal, micros_of_time(near.observed_at) as observed_at, near.location_id,
      near.retraction_id is not null as is_retracted, ${DECIDING_COLUMNS}
    from ${given(late)}
    cross join lateral (
      select * from scan_events
      where org_id = late.org_id and asset_id = late.asset_id
        and observed_at >= late.observed_at and observed_at >= time_of_micros(${earliest(late)}::bigint)
      order by observed_at limit 2
    ) near`);
}

interface TransitionRow extends DecidingRow {
  ordinal: number;
  before_location_id: number | null;
  since: Micros | null;
  observed_at: Micros | null;
  location_id: number | null;
  duration_seconds: number | null;
}

/** At least one row for each, with the transition before it. */
function loadTransitions(db: Connection, late: readonly LocatedScan[]): Promise<readonly TransitionRow[]> {
  return db.any(sql.prepared('near-transitions', rowsOf<TransitionRow>())`
    select late.ordinal::integer as ordinal,
      before.location_id as before_location_id, micros_of_time(before.observed_at) as since,
      micros_of_time(near.observed_at) as observed_at, near.location_id, near.duration_seconds, ${DECIDED_COLUMNS}
    from ${given(late)}
    left join lateral (
      select location_id, observed_at from location_transitions
      where org_id = late.org_id and asset_id = late.asset_id
        and observed_at < late.observed_at and observed_at < time_of_micros(${latest(late)}::bigint)
      order by observed_at desc limit 1
    ) before on true
    left join lateral (
      select * from location_transitions
      where org_id = late.org_id and asset_id = late.asset_id
        and observed_at >= late.observed_at and observed_at >= time_of_micros(${earliest(late)}::bigint)
        and before.location_id is distinct from late.location_id
      order by observed_at limit 2
    ) near on true`);
}

function given(late: readonly LocatedScan[]): FragmentSqlToken {
  return sql.fragment`unnest(
      ${sql.binary(integers(late.map(({ orgId }) => orgId)))}::integer[],
      ${sql.binary(integers(late.map(({ assetId }) => assetId)))}::integer[],
      ${sql.binary(timestamps(late.map(({ observedAt }) => observedAt)))}::timestamptz[],
      ${sql.binary(integers(late.map(({ locationId }) => locationId)))}::integer[])
      with ordinality as late (org_id, asset_id, observed_at, location_id, ordinal)`;
}

function beforeOf({ before_location_id: locationId, since }: TransitionRow): Stay | null {
  return locationId === null || since === null ? null : { locationId, since };
}

function toTransition(row: TransitionRow): DecidedTransition {
  const { observed_at: observedAt, location_id: locationId, duration_seconds: durationSeconds } = row;
  return {
    observedAt: observedAt as Micros,
    locationId: locationId as number,
    durationSeconds,
    decidedBy: toDecidingScan(row),
  };
}
