import { eachInTurns } from '../../base/each-in-turns.ts';
import { TooMuchWork } from '../../base/errors.ts';
import type { Micros } from '../../base/instant.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { loadDatedTree } from '../presence/dated-tree.ts';
import { includes } from '../presence/intervals.ts';

/** A swept location, directly or with one above it. */
export interface SweptPlace {
  sweepId: string;
  locationId: number;
  since: Micros;
  until: Micros;
}

/** A sweep of every day for a month, of 10,000 locations, and half as many again. */
const MOST_SWEPT = 500_000;

/** Assets, each counted for every sweep that missed it. */
const MOST_MISSED = 500_000;

/**
 * The sweeps that checked one of the locations during a time, including sweeps of locations above with descendants, by
 * the tree at their end. Sorted by end.
 *
 * @throws TooMuchWork
 */
export async function loadSweeps(
  db: Connection,
  orgId: number,
  locationIds: readonly number[],
  { since, until }: { since: Micros; until: Micros },
): Promise<SweptPlace[]> {
  if (locationIds.length === 0) {
    return [];
  }
  const tree = await loadDatedTree(db, orgId, locationIds);
  const sweeps = await db.any(sql.type(
    rowsOf<{
      id: string;
      location_id: number;
      include_descendants: boolean;
      since: Micros;
      until: Micros;
    }>(),
  )`
    select id, location_id, include_descendants, micros_of_time(began_at) as since, micros_of_time(ended_at) as until
    from sweeps
    where org_id = ${orgId} and location_id = any (${sql.array(tree.locationIds, 'int4')})
      and (include_descendants or location_id = any (${sql.array(locationIds, 'int4')}))
      and ended_at >= time_of_micros(${since}) and began_at < time_of_micros(${until})
    order by ended_at, id limit ${MOST_SWEPT + 1}`);
  const below = await tree.below(
    locationIds,
    sweeps.map(({ location_id: id }) => id),
  );
  const ofRoots = Map.groupBy(below, ({ rootId }) => rootId);
  let count = 0;
  const swept = await eachInTurns(sweeps, (sweep) => {
    const own = (ofRoots.get(sweep.location_id) ?? []).filter(
      ({ locationId, rootId, during }) =>
        (sweep.include_descendants || locationId === rootId) && includes(during, sweep.until),
    );
    count += own.length;
    if (sweeps.length > MOST_SWEPT || count > MOST_SWEPT) {
      throw new TooMuchWork(`more than ${MOST_SWEPT} sweeps, each counted at every location that it checked`);
    }
    return own.map(({ locationId }) => ({
      ...{ sweepId: sweep.id, locationId, since: sweep.since, until: sweep.until },
    }));
  });
  return swept.flat();
}

/**
 * The assets that each sweep missed, among sweeps that began after a given instant of the asset.
 *
 * @throws TooMuchWork
 */
export async function loadMissed(
  db: Connection,
  orgId: number,
  sweeps: readonly SweptPlace[],
  assets: readonly { assetId: number; since: Micros }[],
): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
  if (sweeps.length === 0 || assets.length === 0) {
    return new Map();
  }
  const began = new Map(sweeps.map(({ sweepId, since }) => [sweepId, since]));
  const [ids, sinces] = [assets.map(({ assetId }) => assetId), assets.map(({ since }) => since)];
  const rows = await db.any(sql.type(rowsOf<{ sweep_id: string; asset_id: number }>())`
    select missed.sweep_id, missed.asset_id
    from unnest(${sql.array([...began.keys()], 'text')}, ${sql.array([...began.values()], 'int8')}) as sweep (id, began)
    join sweep_assets missed on missed.org_id = ${orgId} and missed.sweep_id = sweep.id
    join unnest(${sql.array(ids, 'int4')}, ${sql.array(sinces, 'int8')}) as given (asset_id, since)
      on given.asset_id = missed.asset_id and given.since < sweep.began
    where (missed.expected or missed.missing) and not missed.found and not missed.moved_here
    limit ${MOST_MISSED + 1}`);
  if (rows.length > MOST_MISSED) {
    throw new TooMuchWork(
      `more than ${MOST_MISSED} assets that sweeps did not find, each counted for every sweep`,
    );
  }
  return new Map(
    [...Map.groupBy(rows, ({ sweep_id: id }) => id)].map(([id, own]) => [
      id,
      new Set(own.map(({ asset_id: assetId }) => assetId)),
    ]),
  );
}
