import type { Micros } from '../../../base/instant.ts';
import type { Client } from '../../../db/timescale/connections/client.ts';
import { integers, timestamps } from '../../../db/timescale/queries/array-parameters.ts';
import type { Transition } from '../history.ts';
import type { AssetRef } from '../positions.ts';
import type { Seen } from './counting.ts';

/** A stretch of an asset's time, both ends included. */
export interface Stretch extends AssetRef {
  from: Micros;
  to: Micros;
}

/** As `StoredStretches` in `neighbourhood.ts` says, of the database. */
export async function loadScans(client: Client, stretches: readonly Stretch[]): Promise<Seen[][]> {
  const { rows } = await client.query<Seen & { position: number }>({
    name: 'load-scans-of-stretches',
    text: SCANS,
    values: [...columns(stretches), ...bounds(stretches)],
  });
  return inOrder(stretches, rows);
}

export async function loadTransitions(
  client: Client,
  stretches: readonly Stretch[],
): Promise<Transition[][]> {
  const { rows } = await client.query<Transition & { position: number }>({
    name: 'load-transitions-of-stretches',
    text: TRANSITIONS,
    values: columns(stretches),
  });
  return inOrder(stretches, rows);
}

export async function scansAhead(
  client: Client,
  stretches: readonly Stretch[],
  count: number,
): Promise<(Micros | null)[]> {
  const { rows } = await client.query<{ position: number; to: Micros }>({
    name: 'scans-ahead-of-stretches',
    text: AHEAD,
    values: [...columns(stretches), count],
  });
  return inOrder(stretches, rows).map(([row]) => row?.to ?? null);
}

/** The scans since `since` at the last instant before each of those given, in their order: one look-up each. */
export async function lastScansBefore(
  client: Client,
  instants: readonly (AssetRef & { observedAt: Micros })[],
  since: Micros,
): Promise<Pick<Seen, 'observedAt' | 'locationId'>[][]> {
  const { rows } = await client.query<Pick<Seen, 'observedAt' | 'locationId'> & { position: number }>({
    name: 'last-scans-before',
    text: BEFORE,
    values: [
      integers(instants.map(({ orgId }) => orgId)),
      integers(instants.map(({ assetId }) => assetId)),
      timestamps(instants.map(({ observedAt }) => observedAt)),
      since,
    ],
  });
  return inOrder(instants, rows);
}

const BEFORE = `select asked.position::integer as position, micros_of_time(last.observed_at) as "observedAt",
    last.location_id as "locationId"
  from unnest($1::integer[], $2::integer[], $3::timestamptz[]) with ordinality
    as asked (org_id, asset_id, observed_at, position)
  cross join lateral (
    select observed_at, location_id from scan_events
    where org_id = asked.org_id and asset_id = asked.asset_id
      and observed_at < asked.observed_at and observed_at >= time_of_micros($4::bigint)
    order by observed_at desc fetch first 1 row with ties
  ) last`;

const STRETCHES = `unnest($1::integer[], $2::integer[], $3::bigint[], $4::bigint[]) with ordinality
    as stretch (org_id, asset_id, from_micros, to_micros, position)
  cross join lateral (
    select time_of_micros(stretch.from_micros) as "from", time_of_micros(stretch.to_micros) as "to"
  ) time`;

/** Looked up stretch by stretch (`offset 0`); the bounds of all let TimescaleDB leave chunks out beforehand. */
const SCANS = `select stretch.position::integer as position, micros_of_time(scan.observed_at) as "observedAt",
    scan.location_id as "locationId", scan.rssi, scan.handheld_id is not null as "isByPerson"
  from ${STRETCHES}
  cross join lateral (
    select observed_at, location_id, rssi, handheld_id from scan_events
    where org_id = stretch.org_id and asset_id = stretch.asset_id
      and observed_at between time."from" and time."to"
      and observed_at between time_of_micros($5) and time_of_micros($6)
    order by observed_at offset 0
  ) scan`;

const TRANSITIONS = `select stretch.position::integer as position, micros_of_time(near.observed_at) as "observedAt",
    near.location_id as "locationId", near.duration_seconds as "durationSeconds"
  from ${STRETCHES}
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
  ) near`;

const AHEAD = `select stretch.position::integer as position, micros_of_time(max(later.observed_at)) as "to"
  from ${STRETCHES}
  cross join lateral (
    select observed_at from scan_events
    where org_id = stretch.org_id and asset_id = stretch.asset_id and observed_at > time."to"
    order by observed_at limit $5
  ) later
  group by stretch.position`;

function columns(stretches: readonly Stretch[]): number[][] {
  return [
    stretches.map(({ orgId }) => orgId),
    stretches.map(({ assetId }) => assetId),
    stretches.map(({ from }) => from),
    stretches.map(({ to }) => to),
  ];
}

function bounds(stretches: readonly Stretch[]): number[] {
  return [Math.min(...stretches.map(({ from }) => from)), Math.max(...stretches.map(({ to }) => to))];
}

function inOrder<Row extends { position: number }>(asked: readonly unknown[], rows: readonly Row[]): Row[][] {
  const rowsOf = Map.groupBy(rows, ({ position }) => position - 1);
  return asked.map((_, index) => rowsOf.get(index) ?? []);
}
