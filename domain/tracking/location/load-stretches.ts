import { Turns } from '../../../base/each-in-turns.ts';
import { AppError } from '../../../base/errors.ts';
import { greatestOf, leastOf } from '../../../base/extremes.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { bigints, integers, timestamps } from '../../../db/timescale/queries/array-parameters.ts';
import { type FragmentSqlToken, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { AssetRef } from '../history/asset-ref.ts';
import {
  DECIDED_COLUMNS,
  DECIDING_COLUMNS,
  type DecidedRow,
  type DecidingRow,
  toDecidingScan,
  toTransition,
} from '../history/deciding-row.ts';
import type { DecidingScan } from '../history/deciding-scan.ts';
import type { DecidedTransition } from '../history/history.ts';
import type { Seen } from './stated-locations.ts';

/** Both ends included. */
export interface Stretch extends AssetRef {
  from: Micros;
  to: Micros;
}

/**
 * Each stretch is a separate look-up (`offset 0`); the bounds of all let TimescaleDB exclude chunks.
 *
 * @throws TooManyScans if one stretch has too many for the memory of this process.
 */
export async function loadScans(db: Connection, stretches: readonly Stretch[]): Promise<Seen[][]> {
  const first = leastOf(stretches.map(({ from }) => from));
  const last = greatestOf(stretches.map(({ to }) => to));
  const rows = await db.any(sql.prepared(
    'load-scans-of-stretches',
    rowsOf<ScanRow & WithOrdinal & DecidingRow>(),
  )`
    select stretch.ordinal::integer as ordinal, micros_of_time(near.observed_at) as observed_at,
      near.location_id, ${DECIDING_COLUMNS}
    from ${timesOf(stretches)}
    cross join lateral (
      select * from scan_events
      where org_id = stretch.org_id and asset_id = stretch.asset_id
        and observed_at between time."from" and time."to"
        and observed_at between time_of_micros(${first}::bigint) and time_of_micros(${last}::bigint)
        and retraction_id is null
      order by observed_at offset 0
    ) near
    limit ${MOST_SCANS + 1}`);
  if (rows.length <= MOST_SCANS) {
    return seenIn(stretches, rows);
  }
  const [stretch] = stretches;
  if (stretch !== undefined && stretches.length === 1) {
    throw new TooManyScans(stretch);
  }
  const middle = stretches.length >> 1;
  return [
    ...(await loadScans(db, stretches.slice(0, middle))),
    ...(await loadScans(db, stretches.slice(middle))),
  ];
}

/** Yields to other work of the process in between. */
async function seenIn(
  stretches: readonly Stretch[],
  rows: readonly (ScanRow & WithOrdinal & DecidingRow)[],
): Promise<Seen[][]> {
  const seen = stretches.map((): Seen[] => []);
  const turns = new Turns();
  for (const row of rows) {
    seen[row.ordinal - 1]?.push(toSeen(row));
    if (turns.isOver) {
      await turns.next();
    }
  }
  return seen;
}

/** An asset has too many reads to decide its location. */
export class TooManyScans extends AppError {
  constructor({ orgId, assetId }: AssetRef) {
    super(
      'timed_out',
      `asset ${assetId} of organization ${orgId} was read more than ${MOST_SCANS.toLocaleString('en')} times within two ` +
        'minutes; let its readers report less often, or decide its location by every scan (locate set --by every)',
    );
  }
}

/** Scans in memory, some 600 bytes each: 2,000 reads a second of one asset. */
const MOST_SCANS = 250_000;

export async function loadTransitions(
  db: Connection,
  stretches: readonly Stretch[],
): Promise<DecidedTransition[][]> {
  const rows = await db.any(sql.prepared('load-transitions-of-stretches', rowsOf<WithOrdinal & DecidedRow>())`
    select stretch.ordinal::integer as ordinal, micros_of_time(near.observed_at) as observed_at,
      near.location_id, near.duration_seconds, ${DECIDED_COLUMNS}
    from ${timesOf(stretches)}
    cross join lateral (
      (select * from location_transitions before
        where before.org_id = stretch.org_id and before.asset_id = stretch.asset_id
          and before.observed_at < time."from"
        order by before.observed_at desc limit 1)
      union all
      (select * from location_transitions within
        where within.org_id = stretch.org_id and within.asset_id = stretch.asset_id
          and within.observed_at between time."from" and time."to"
        order by within.observed_at)
      union all
      (select * from location_transitions after
        where after.org_id = stretch.org_id and after.asset_id = stretch.asset_id
          and after.observed_at > time."to"
        order by after.observed_at limit 1)
    ) near`);
  return inOrder(stretches, rows, toTransition);
}

/**
 * Whether one antenna read the asset at least five times in each five seconds, from the end of each stretch on backwards.
 * Only the first reads of each are looked at, up to the first five seconds without.
 */
export async function areDense(db: Connection, stretches: readonly Stretch[]): Promise<boolean[]> {
  const first = leastOf(stretches.map(({ from }) => from)) - FIVE_SECONDS;
  const last = greatestOf(stretches.map(({ to }) => to));
  const rows = await db.any(sql.prepared('are-stretches-dense', rowsOf<{ is_dense: boolean }>())`
    select not exists (
      select from generate_series(stretch.to_micros, stretch.from_micros, -${FIVE_SECONDS}::bigint) as until (micros)
      where not exists (
        select from (
          select reader_id, antenna, location_id from scan_events
          where org_id = stretch.org_id and asset_id = stretch.asset_id and reader_id is not null
            and observed_at > time_of_micros(until.micros - ${FIVE_SECONDS}::bigint)
            and observed_at <= time_of_micros(until.micros)
            and observed_at between time_of_micros(${first}::bigint) and time_of_micros(${last}::bigint)
          order by observed_at limit ${MOST_LOOKED_AT}
        ) near
        group by reader_id, antenna, location_id having count(*) >= 5
      )
    ) as is_dense
    from ${timesOf(stretches)}
    order by stretch.ordinal`);
  return rows.map(({ is_dense: isDense }) => isDense);
}

const FIVE_SECONDS: Micros = 5 * MICROS_PER_SECOND;

/** With up to fifty antennas, all read alike, one of them has five of so many reads. */
const MOST_LOOKED_AT = 200;

/** When the assets were read in each stretch, in order: times at least a minute apart. */
export async function loadHeard(
  db: Connection,
  stretches: readonly Stretch[],
): Promise<Pick<Stretch, 'from' | 'to'>[][]> {
  const first = leastOf(stretches.map(({ from }) => from));
  const last = greatestOf(stretches.map(({ to }) => to));
  const rows = await db.any(sql.prepared(
    'load-heard-of-stretches',
    rowsOf<WithOrdinal & Pick<Stretch, 'from' | 'to'>>(),
  )`
    select ordinal::integer as ordinal, micros_of_time(min(observed_at)) as "from", micros_of_time(max(observed_at)) as "to"
    from (
      select ordinal, observed_at, count(*) filter (where is_after_silence) over (partition by ordinal order by observed_at) as nth
      from (
        select stretch.ordinal, near.observed_at,
          near.observed_at > lag(near.observed_at) over (partition by stretch.ordinal order by near.observed_at)
            + interval '1 minute' as is_after_silence
        from ${timesOf(stretches)}
        cross join lateral (
          select observed_at from scan_events
          where org_id = stretch.org_id and asset_id = stretch.asset_id
            and observed_at between time."from" and time."to"
            and observed_at between time_of_micros(${first}::bigint) and time_of_micros(${last}::bigint)
            and retraction_id is null
          order by observed_at offset 0
        ) near
      ) scans
    ) times
    group by ordinal, nth order by ordinal, nth`);
  return inOrder(stretches, rows, ({ from, to }) => ({ from, to }));
}

export async function scansAhead(
  db: Connection,
  stretches: readonly Stretch[],
  count: number,
): Promise<(Micros | null)[]> {
  const rows = await db.any(sql.prepared('scans-ahead-of-stretches', rowsOf<WithOrdinal & { to: Micros }>())`
    select stretch.ordinal::integer as ordinal, micros_of_time(max(later.observed_at)) as "to"
    from ${timesOf(stretches)}
    cross join lateral (
      select observed_at from scan_events
      where org_id = stretch.org_id and asset_id = stretch.asset_id and observed_at > time."to"
        and retraction_id is null
      order by observed_at limit ${count}
    ) later
    group by stretch.ordinal`);
  return inOrder(stretches, rows, ({ to }) => to).map(([to = null]) => to);
}

/**
 * For each of `instants`, in order: all scans at the last instant before it, none from before `since`. One look-up
 * each.
 */
export async function lastScansBefore(
  db: Connection,
  instants: readonly (AssetRef & { observedAt: Micros })[],
  since: Micros,
): Promise<Pick<Seen, 'observedAt' | 'locationId'>[][]> {
  const rows = await db.any(sql.prepared('last-scans-before', rowsOf<ScanRow & WithOrdinal>())`
    select asked.ordinal::integer as ordinal, micros_of_time(last.observed_at) as observed_at, last.location_id
    from unnest(
      ${sql.binary(integers(instants.map(({ orgId }) => orgId)))}::integer[],
      ${sql.binary(integers(instants.map(({ assetId }) => assetId)))}::integer[],
      ${sql.binary(timestamps(instants.map(({ observedAt }) => observedAt)))}::timestamptz[])
      with ordinality as asked (org_id, asset_id, observed_at, ordinal)
    cross join lateral (
      select observed_at, location_id from scan_events
      where org_id = asked.org_id and asset_id = asked.asset_id
        and observed_at < asked.observed_at and observed_at >= time_of_micros(${since}::bigint)
        and retraction_id is null
      order by observed_at desc fetch first 1 row with ties
    ) last`);
  return inOrder(instants, rows, ({ observed_at, location_id }) => ({
    observedAt: observed_at,
    locationId: location_id,
  }));
}

/** Rows `stretch`, each with its ends as `time`. */
function timesOf(stretches: readonly Stretch[]): FragmentSqlToken {
  return sql.fragment`unnest(
      ${sql.binary(integers(stretches.map(({ orgId }) => orgId)))}::integer[],
      ${sql.binary(integers(stretches.map(({ assetId }) => assetId)))}::integer[],
      ${sql.binary(bigints(stretches.map(({ from }) => from)))}::bigint[],
      ${sql.binary(bigints(stretches.map(({ to }) => to)))}::bigint[])
      with ordinality as stretch (org_id, asset_id, from_micros, to_micros, ordinal)
    cross join lateral (
      select time_of_micros(stretch.from_micros) as "from", time_of_micros(stretch.to_micros) as "to"
    ) time`;
}

/** The input that a row belongs to, counted from 1. */
interface WithOrdinal {
  ordinal: number;
}

export interface ScanRow {
  observed_at: Micros;
  location_id: number;
}

export function toSeen(row: ScanRow & DecidingRow): Seen {
  const { observed_at: observedAt, location_id: locationId, rssi } = row;
  // A scan was always received.
  return { observedAt, locationId, rssi, scan: toDecidingScan(row) as DecidingScan };
}

function inOrder<Row extends WithOrdinal, Made>(
  asked: readonly unknown[],
  rows: readonly Row[],
  make: (row: Row) => Made,
): Made[][] {
  const byOrdinal = Map.groupBy(rows, ({ ordinal }) => ordinal - 1);
  return asked.map((_, index) => (byOrdinal.get(index) ?? []).map(make));
}
