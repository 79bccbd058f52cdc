import type { Micros } from '../../base/instant.ts';
import { integers, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import { type FragmentSqlToken, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { type AssetRef, assetKey } from './history/asset-ref.ts';
import type { Sighting, Transition } from './history/history.ts';
import type { Neighbourhood, Window } from './history/revise.ts';

/** An instant at which an asset's scans have changed. */
export interface ChangedInstant extends AssetRef {
  observedAt: Micros;
}

/**
 * What is stored around the changed instants: the sightings from each to the next at which the asset was seen, and
 * the transitions there, before and after. A few index look-ups for each instant, however long the history is.
 *
 * @returns by {@link assetKey}.
 */
export async function loadNeighbourhoods(
  db: Connection,
  changed: readonly ChangedInstant[],
): Promise<ReadonlyMap<string, Neighbourhood>> {
  const [sightings, transitions] = await Promise.all([
    loadSightings(db, changed),
    loadTransitions(db, changed),
  ]);
  const sightingsOf = Map.groupBy(sightings, ({ position }) => position - 1);
  const transitionsOf = Map.groupBy(transitions, ({ position }) => position - 1);
  const instantsOf = Map.groupBy(changed.entries(), ([, instant]) => assetKey(instant));
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

/** Between the two there is none. Said as a range, or the database may think of reading all that is stored. */
function loadSightings(db: Connection, changed: readonly ChangedInstant[]): Promise<readonly SightingRow[]> {
  return db.any(sql.prepared('load-sightings', rowsOf<SightingRow>())`
    select changed.position::integer as position,
      micros_of_time(near.observed_at) as observed_at, near.location_id, near.rssi
    from ${withNext(changed)}
    cross join lateral (
      select scan.observed_at, scan.location_id, scan.rssi from scan_events scan
      where scan.org_id = changed.org_id and scan.asset_id = changed.asset_id
        and scan.observed_at between changed.observed_at and coalesce(next.observed_at, changed.observed_at)
        and scan.observed_at >= ${since(changed)}
      order by scan.observed_at offset 0
    ) near`);
}

function loadTransitions(
  db: Connection,
  changed: readonly ChangedInstant[],
): Promise<readonly TransitionRow[]> {
  return db.any(sql.prepared('load-transitions', rowsOf<TransitionRow>())`
    select changed.position::integer as position,
      micros_of_time(near.observed_at) as observed_at, near.location_id, near.duration_seconds
    from ${withNext(changed)}
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
    ) near`);
}

/** The changed instants, with the next of each at which its asset was seen. */
function withNext(changed: readonly ChangedInstant[]): FragmentSqlToken {
  return sql.fragment`unnest(
      ${sql.binary(integers(changed.map(({ orgId }) => orgId)))}::integer[],
      ${sql.binary(integers(changed.map(({ assetId }) => assetId)))}::integer[],
      ${sql.binary(timestamps(changed.map(({ observedAt }) => observedAt)))}::timestamptz[])
      with ordinality as changed (org_id, asset_id, observed_at, position)
    left join lateral (
      select scan.observed_at from scan_events scan
      where scan.org_id = changed.org_id and scan.asset_id = changed.asset_id
        and scan.observed_at > changed.observed_at and scan.observed_at >= ${since(changed)}
      order by scan.observed_at limit 1
    ) next on true`;
}

/**
 * The earliest of the instants tells the database once which chunks it need not look into; otherwise it would find that
 * out anew for each instant (of 25 chunks, 45 us).
 */
function since(changed: readonly ChangedInstant[]): FragmentSqlToken {
  const first = changed.reduce((at, { observedAt }) => Math.min(at, observedAt), Number.MAX_SAFE_INTEGER);
  return sql.fragment`time_of_micros(${first}::bigint)`;
}

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
