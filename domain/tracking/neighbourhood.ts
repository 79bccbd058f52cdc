import type { Micros } from '../../base/instant.ts';
import type { Client } from '../../db/timescale/connections/client.ts';
import { integers, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import type { Sighting, Transition } from './history.ts';
import { type AssetRef, assetName } from './positions.ts';
import type { Window } from './revise.ts';

/** An instant at which an asset's scans have changed. */
export interface ChangedInstant extends AssetRef {
  observedAt: Micros;
}

/** All that {@link revise} needs to know of one asset. */
export interface Neighbourhood {
  windows: Window[];
  stored: Transition[];
}

/**
 * What is stored around the changed instants: the sightings from each to the next at which the asset was seen, and
 * the transitions there, before and after. A few index look-ups for each instant, however long the history is.
 *
 * @returns by {@link assetName}.
 */
export async function loadNeighbourhoods(
  client: Client,
  changed: readonly ChangedInstant[],
): Promise<ReadonlyMap<string, Neighbourhood>> {
  const values = [
    integers(changed.map(({ orgId }) => orgId)),
    integers(changed.map(({ assetId }) => assetId)),
    timestamps(changed.map(({ observedAt }) => observedAt)),
    changed.reduce((earliest, { observedAt }) => Math.min(earliest, observedAt), Number.MAX_SAFE_INTEGER),
  ];
  const [sightings, transitions] = await Promise.all([
    client.query<SightingRow>({ name: 'load-sightings', text: SIGHTINGS, values }),
    client.query<TransitionRow>({ name: 'load-transitions', text: TRANSITIONS, values }),
  ]);
  const sightingsOf = Map.groupBy(sightings.rows, ({ position }) => position - 1);
  const transitionsOf = Map.groupBy(transitions.rows, ({ position }) => position - 1);
  const instantsOf = Map.groupBy(changed.entries(), ([, instant]) => assetName(instant));
  return new Map(
    [...instantsOf].map(([name, instants]) => [
      name,
      {
        windows: instants.map(([index, { observedAt }]) =>
          toWindow(observedAt, (sightingsOf.get(index) ?? []).map(toSighting)),
        ),
        stored: distinctAscending(
          instants.flatMap(([index]) => (transitionsOf.get(index) ?? []).map(toTransition)),
        ),
      },
    ]),
  );
}

/**
 * `$4`, the earliest of the instants, tells the database once which chunks it need not look into; otherwise it would
 * find that out anew for each instant (of 25 chunks, 45 us).
 */
const CHANGED = `unnest($1::integer[], $2::integer[], $3::timestamptz[]) with ordinality
  as changed (org_id, asset_id, observed_at, position)
  left join lateral (
    select scan.observed_at from scan_events scan
    where scan.org_id = changed.org_id and scan.asset_id = changed.asset_id
      and scan.observed_at > changed.observed_at and scan.observed_at >= time_of_micros($4::bigint)
    order by scan.observed_at limit 1
  ) next on true`;

/** Between the two there is none. Said as a range, or the database may think of reading all that is stored. */
const SIGHTINGS = `select changed.position::integer as position,
    micros_of_time(near.observed_at) as observed_at, near.location_id, near.rssi
  from ${CHANGED}
  cross join lateral (
    select scan.observed_at, scan.location_id, scan.rssi from scan_events scan
    where scan.org_id = changed.org_id and scan.asset_id = changed.asset_id
      and scan.observed_at between changed.observed_at and coalesce(next.observed_at, changed.observed_at)
      and scan.observed_at >= time_of_micros($4::bigint)
    order by scan.observed_at offset 0
  ) near`;

const TRANSITIONS = `select changed.position::integer as position,
    micros_of_time(near.observed_at) as observed_at, near.location_id, near.duration_seconds
  from ${CHANGED}
  cross join lateral (
    (select * from location_transitions before
      where before.org_id = changed.org_id and before.asset_id = changed.asset_id
        and before.observed_at < changed.observed_at
      order by before.observed_at desc limit 1)
    union all
    (select * from location_transitions within
      where within.org_id = changed.org_id and within.asset_id = changed.asset_id
        and within.observed_at between changed.observed_at
          and coalesce(next.observed_at, changed.observed_at))
    union all
    (select * from location_transitions after
      where after.org_id = changed.org_id and after.asset_id = changed.asset_id
        and after.observed_at > coalesce(next.observed_at, changed.observed_at)
      order by after.observed_at limit 1)
  ) near`;

interface SightingRow {
  position: number;
  observed_at: Micros;
  location_id: number;
  rssi: number | null;
}

interface TransitionRow {
  position: number;
  observed_at: Micros;
  location_id: number;
  duration_seconds: number | null;
}

function toSighting({ observed_at: observedAt, location_id: locationId, rssi }: SightingRow): Sighting {
  return { observedAt, locationId, rssi };
}

function toTransition(row: TransitionRow): Transition {
  return { observedAt: row.observed_at, locationId: row.location_id, durationSeconds: row.duration_seconds };
}

function toWindow(from: Micros, sightings: Sighting[]): Window {
  return { from, to: Math.max(from, ...sightings.map(({ observedAt }) => observedAt)), sightings };
}

function distinctAscending(transitions: readonly Transition[]): Transition[] {
  const byTime = new Map(transitions.map((transition) => [transition.observedAt, transition]));
  return [...byTime.values()].toSorted((a, b) => a.observedAt - b.observedAt);
}
