import type { Turns } from '../../base/each-in-turns.ts';
import { greatestOf } from '../../base/extremes.ts';
import type { Micros } from '../../base/instant.ts';
import type { Client } from '../../db/timescale/connections/client.ts';
import { integers, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import { type FragmentSqlToken, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { aroundLate } from './around-late.ts';
import { type AssetRef, assetKey } from './history/asset-ref.ts';
import {
  DECIDED_COLUMNS,
  DECIDING_COLUMNS,
  type DecidedRow,
  type DecidingRow,
  toDecidingScan,
  toTransition,
} from './history/deciding-row.ts';
import type { DecidedTransition, Sighting } from './history/history.ts';
import type { Neighbourhood, Span } from './history/revise.ts';
import type { LocatedScan } from './located-scan.ts';
import type { Workload } from './location/heavy-organizations.ts';
import {
  areDense,
  lastScansBefore,
  loadHeard,
  loadScans,
  loadTransitions,
  scansAhead,
} from './location/load-stretches.ts';
import { placeLocations } from './location/read-site.ts';
import type { Site } from './location/site.ts';
import type { StoredStretches } from './location/stated-neighbourhoods.ts';
import type { Near } from './near-scans.ts';
import type { Touched } from './positions.ts';

/** Reads stored data, including new and changed scans. */
export interface StoredTracking extends StoredStretches {
  /** The surroundings found before the asset's scans were written; null if they do not suffice. */
  around(asset: Touched): Neighbourhood | null;
  /** @returns by {@link assetKey}. */
  neighbourhoods(changed: readonly ChangedInstant[]): Promise<ReadonlyMap<string, Neighbourhood>>;
}

/**
 * @param sites where scans that are read are placed.
 * @param near late scans, with their surroundings as they were before they were written.
 * @param workload gets to know how many scans are read, and what deciding on them costs.
 * @param turns of the batch.
 */
export function storedTracking(
  client: Client,
  sites: ReadonlyMap<number, Site>,
  {
    near = new Map(),
    workload,
    turns,
  }: {
    near?: ReadonlyMap<LocatedScan, Near> | undefined;
    workload?: Workload | undefined;
    turns?: Turns | undefined;
  } = {},
): StoredTracking {
  return {
    turns,
    around: (asset) => aroundLate(asset, near),
    neighbourhoods: (changed) => loadNeighbourhoods(client, changed),
    lastBefore: (instants, since) => lastScansBefore(client, instants, since),
    scans: async (stretches) => {
      const scans = await loadScans(client, stretches);
      for (const [index, { orgId }] of stretches.entries()) {
        const found = scans[index] ?? [];
        workload?.addScans(orgId, found.length);
        await placeLocations(client, orgId, sites.get(orgId), found);
      }
      return scans;
    },
    decided: (orgId, cost) => workload?.add(orgId, cost),
    transitions: (stretches) => loadTransitions(client, stretches),
    areDense: (stretches) => areDense(client, stretches),
    heard: (stretches) => loadHeard(client, stretches),
    scansAhead: (stretches, count) => scansAhead(client, stretches, count),
  };
}

interface ChangedInstant extends AssetRef {
  observedAt: Micros;
}

/**
 * Loads what {@link revise} needs around the changed instants, in a few index look-ups for each, however long the
 * history:
 *
 * 1. The next instant at which the asset was seen: the end of the span.
 * 2. The sightings at both ends of the span; there are none between.
 * 3. The transitions within the span, the last before and the first after it.
 *
 *     sightings      A    A        B       B    A
 *     span                         [-------]          from: changed, to: the next instant
 *     transitions    A             B            A
 *                    before        within       after
 *
 * @returns by {@link assetKey}.
 */
async function loadNeighbourhoods(
  db: Connection,
  changed: readonly ChangedInstant[],
): Promise<ReadonlyMap<string, Neighbourhood>> {
  const [sightings, transitions] = await Promise.all([
    loadSightings(db, changed),
    loadTransitionsAround(db, changed),
  ]);
  const sightingsOf = Map.groupBy(sightings, ({ ordinal }) => ordinal - 1);
  const transitionsOf = Map.groupBy(transitions, ({ ordinal }) => ordinal - 1);
  const instantsOf = Map.groupBy(changed.entries(), ([, instant]) => assetKey(instant));
  return new Map(
    [...instantsOf].map(([key, instants]) => [
      key,
      {
        spans: instants.map(([index, { observedAt }]) =>
          toSpan(observedAt, (sightingsOf.get(index) ?? []).map(toSighting)),
        ),
        stored: distinctAscending(
          instants.flatMap(([index]) => (transitionsOf.get(index) ?? []).map(toTransition)),
        ),
      },
    ]),
  );
}

/**
 * A range rather than the two ends, with which the planner may read all that is stored. Between the ends there is
 * nothing.
 */
function loadSightings(db: Connection, changed: readonly ChangedInstant[]): Promise<readonly SightingRow[]> {
  return db.any(sql.prepared('load-sightings', rowsOf<SightingRow>())`
    select changed.ordinal::integer as ordinal,
      micros_of_time(near.observed_at) as observed_at, near.location_id, ${DECIDING_COLUMNS}
    from ${withNext(changed)}
    cross join lateral (
      select * from scan_events scan
      where scan.org_id = changed.org_id and scan.asset_id = changed.asset_id
        and scan.observed_at between changed.observed_at and coalesce(next.observed_at, changed.observed_at)
        and scan.observed_at >= ${since(changed)} and scan.retraction_id is null
      order by scan.observed_at offset 0
    ) near`);
}

function loadTransitionsAround(
  db: Connection,
  changed: readonly ChangedInstant[],
): Promise<readonly TransitionRow[]> {
  return db.any(sql.prepared('load-transitions', rowsOf<TransitionRow>())`
    select changed.ordinal::integer as ordinal,
      micros_of_time(near.observed_at) as observed_at, near.location_id, near.duration_seconds, ${DECIDED_COLUMNS}
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

/** Each changed instant, with the next one at which its asset was seen, if any. */
function withNext(changed: readonly ChangedInstant[]): FragmentSqlToken {
  return sql.fragment`unnest(
      ${sql.binary(integers(changed.map(({ orgId }) => orgId)))}::integer[],
      ${sql.binary(integers(changed.map(({ assetId }) => assetId)))}::integer[],
      ${sql.binary(timestamps(changed.map(({ observedAt }) => observedAt)))}::timestamptz[])
      with ordinality as changed (org_id, asset_id, observed_at, ordinal)
    left join lateral (
      select scan.observed_at from scan_events scan
      where scan.org_id = changed.org_id and scan.asset_id = changed.asset_id
        and scan.observed_at > changed.observed_at and scan.observed_at >= ${since(changed)}
        and scan.retraction_id is null
      order by scan.observed_at limit 1
    ) next on true`;
}

/** Lets the database exclude older chunks once. Otherwise it does so for each instant (45 us with 25 chunks). */
function since(changed: readonly ChangedInstant[]): FragmentSqlToken {
  const first = changed.reduce((at, { observedAt }) => Math.min(at, observedAt), Number.MAX_SAFE_INTEGER);
  return sql.fragment`time_of_micros(${first}::bigint)`;
}

interface SightingRow extends DecidingRow {
  ordinal: number;
  observed_at: Micros;
  location_id: number;
}

interface TransitionRow extends DecidedRow {
  ordinal: number;
}

function toSighting(row: SightingRow): Sighting {
  const { observed_at: observedAt, location_id: locationId, rssi } = row;
  return { observedAt, locationId, rssi, scan: toDecidingScan(row) };
}

function toSpan(from: Micros, sightings: Sighting[]): Span {
  return { from, to: greatestOf([from, ...sightings.map(({ observedAt }) => observedAt)]), sightings };
}

function distinctAscending(transitions: readonly DecidedTransition[]): DecidedTransition[] {
  const byTime = new Map(transitions.map((transition) => [transition.observedAt, transition]));
  return [...byTime.values()].toSorted((a, b) => a.observedAt - b.observedAt);
}
