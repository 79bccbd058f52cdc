import { greatestOf } from '../../../base/extremes.ts';
import type { Micros } from '../../../base/instant.ts';
import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { LOOKS_BACK, loadEvidence } from '../../presence/coverage/load-places.ts';
import type { Interval } from '../../presence/intervals.ts';
import { type DatedRule, isOfReadings } from '../rules/rule.ts';
import type { AssetEvidence, Stay } from './evidence.ts';
import { loadDescribed } from './load-described.ts';
import { loadMeasured, type MeasuredWanted } from './load-measured.ts';
import { loadSightings } from './load-sightings.ts';
import { loadSubtrees, rootsOf, type Subtrees } from './load-subtrees.ts';
import { boundPieces, MOST_PIECES } from './most-pieces.ts';
import { Surroundings } from './surroundings.ts';

/** Assets to ask about at a time. */
export const MOST_ASSETS = 1_000;

export interface LoadedAssets {
  /** In the order asked for, without those that never were. */
  assets: AssetEvidence[];
  around: Surroundings;
}

/**
 * Loads the evidence that decides when rules' conditions held for assets in a window, in a few queries for any number.
 *
 * Evidence reaches back before the window as far as the thresholds of the rules need, coverage for 31 days: so whether a
 * condition holds at an instant of the window is exact, and when a stretch began if that is in the window.
 *
 * @param rules every version, of all rules that are to be asked about.
 * @param assetIds at most {@link MOST_ASSETS}.
 * @param readsSince from when on reads of an asset matter, where that is later than the window begins.
 * @param readings likewise of what its tags measured.
 * @param subtreesOf of locations, as far as rules are about them; asks the database if left out.
 * @throws TooMuchWork
 */
export async function loadAssetEvidence(
  db: Connection,
  orgId: number,
  rules: readonly DatedRule[],
  assetIds: readonly number[],
  window: Interval,
  readsSince: ReadonlyMap<number, Micros> = new Map(),
  readings: ReadonlyMap<number, Omit<MeasuredWanted, 'assetId'>> = new Map(),
  subtreesOf: (locationIds: readonly number[]) => Promise<Subtrees> = (ids) =>
    loadSubtrees(db, orgId, rootsOf(rules), ids),
): Promise<LoadedAssets> {
  const deleted = await loadDeleted(db, orgId, assetIds);
  const known = [...deleted.keys()];
  const stays = await loadStays(db, orgId, known, { ...window, since: window.since - reachOf(rules) });
  const locationIds = locationsOf(stays);
  const subtrees = await subtreesOf(locationIds);
  const asked = { rules, assetIds: known, stays, locationIds, readsSince };
  const sightings = await loadSightings(db, orgId, asked, window);
  const looked = { since: sightings.coveredFrom, until: window.until };
  const places = await loadEvidence(db, orgId, sightings.locationIds, looked, sightings.sweeps);
  const paths = rules.flatMap(({ selection }) => selection.metadata.map(({ path }) => path));
  const described = await loadDescribed(db, orgId, known, paths, window.since - LOOKS_BACK);
  const ofAll = { since: window.since, alerted: new Set<string>() };
  const wanted = known.map((assetId) => ({ assetId, ...(readings.get(assetId) ?? ofAll) }));
  const measured = await loadMeasured(db, orgId, rules, wanted, window.until);
  return {
    assets: known.map((assetId) => ({
      assetId,
      until: deleted.get(assetId) ?? Number.POSITIVE_INFINITY,
      stays: stays.get(assetId) ?? [],
      unread: sightings.unread.get(assetId) ?? [],
      missedBy: sightings.missed.get(assetId) ?? [],
      described: described.get(assetId) ?? new Map(),
      measured: measured.get(assetId) ?? new Map(),
    })),
    around: new Surroundings({ window, coveredFrom: looked.since, subtrees, places }),
  };
}

async function loadDeleted(
  db: Connection,
  orgId: number,
  assetIds: readonly number[],
): Promise<ReadonlyMap<number, Micros | null>> {
  const rows = await db.any(sql.prepared(
    'find-deleted-assets',
    rowsOf<{ id: number; deleted_at: Micros | null }>(),
  )`
    select asset.id, micros_of_time(asset.deleted_at) as deleted_at
    from unnest(${sql.binary(integers(assetIds))}::integer[]) with ordinality as given (id, place)
    join assets asset on asset.org_id = ${orgId} and asset.id = given.id
    order by given.place`);
  return new Map(rows.map((row) => [row.id, row.deleted_at]));
}

/** How long before the window a course of events may have begun whose threshold passes in it. */
function reachOf(rules: readonly DatedRule[]): Micros {
  const ofStays = rules.filter((rule) => rule.kind !== 'overdue' && !isOfReadings(rule));
  const spans = ofStays.map(({ after, thenAfter, hours }) =>
    hours !== null && after !== null ? LOOKS_BACK : (thenAfter ?? after ?? 0),
  );
  return Math.min(LOOKS_BACK, greatestOf([0, ...spans]));
}

function locationsOf(stays: ReadonlyMap<number, readonly Stay[]>): number[] {
  return [...new Set([...stays.values()].flatMap((own) => own.map(({ locationId }) => locationId)))];
}

/**
 * The stays of assets in a time, by asset; the last is infinite. An asset that has not moved since is not looked up in
 * its history, as in reports about stays.
 *
 * @throws TooMuchWork
 */
async function loadStays(
  db: Connection,
  orgId: number,
  assetIds: readonly number[],
  { since, until }: Interval,
): Promise<ReadonlyMap<number, Stay[]>> {
  const begin = sql.fragment`time_of_micros(${since}::bigint)`;
  const ofAsset = sql.fragment`select location_id, observed_at from location_transitions
    where org_id = ${orgId}::integer and asset_id = moved.asset_id and moved.since > ${begin}`;
  const rows = await db.any(sql.prepared(
    'load-stays-of-assets',
    rowsOf<{ asset_id: number; location_id: number; since: Micros }>(),
  )`
    select moved.asset_id, stay.location_id, micros_of_time(stay.observed_at) as since
    from unnest(${sql.binary(integers(assetIds))}::integer[]) as given (id)
    cross join lateral (
      select asset_id, location_id, since from positions
      where org_id = ${orgId}::integer and asset_id = given.id and since is not null offset 0
    ) moved
    cross join lateral (
      select moved.location_id, moved.since as observed_at where moved.since <= ${begin}
      union all
      select * from (${ofAsset} and observed_at <= ${begin} order by observed_at desc limit 1) in_effect
      union all
      select * from (
        ${ofAsset} and observed_at > ${begin} and observed_at < time_of_micros(${until}::bigint) offset 0
      ) entered
    ) stay
    limit ${MOST_PIECES + 1}`);
  boundPieces(rows.length);
  return new Map(
    [...Map.groupBy(rows, ({ asset_id: id }) => id)].map(([id, own]) => {
      const sorted = own.toSorted((a, b) => a.since - b.since);
      return [
        id,
        sorted.map((row, index) => ({
          locationId: row.location_id,
          since: row.since,
          until: sorted[index + 1]?.since ?? Number.POSITIVE_INFINITY,
        })),
      ];
    }),
  );
}
