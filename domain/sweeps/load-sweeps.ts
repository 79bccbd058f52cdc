import { TooMuchEvidence } from '../../base/errors.ts';
import type { Micros } from '../../base/instant.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { locationsAbove } from './locations-above.ts';

/** A location that was checked, by itself or with one above it. */
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
 * The sweeps that checked one of the locations, and were under way in a time; with those of locations above them that took
 * in what is below, by the tree as it was when they ended. In order of their ends.
 *
 * @throws TooMuchEvidence
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
  const rows = await db.any(sql.type(
    rowsOf<{ id: string; location_id: number; since: Micros; until: Micros }>(),
  )`
    with recursive ${locationsAbove(orgId, locationIds)}
    select distinct sweep.id, above.location_id, micros_of_time(sweep.began_at) as since,
      micros_of_time(sweep.ended_at) as until
    from above join sweeps sweep on sweep.org_id = ${orgId} and sweep.location_id = above.root_id
      and (sweep.include_descendants or above.root_id = above.location_id)
    where above.during @> sweep.ended_at and sweep.ended_at >= time_of_micros(${since})
      and sweep.began_at < time_of_micros(${until})
    order by until, sweep.id limit ${MOST_SWEPT + 1}`);
  if (rows.length > MOST_SWEPT) {
    throw new TooMuchEvidence(
      `more than ${MOST_SWEPT} sweeps, each counted at every location that it checked`,
    );
  }
  return rows.map((row) => ({
    sweepId: row.id,
    locationId: row.location_id,
    since: row.since,
    until: row.until,
  }));
}

/**
 * Of the assets, those that sweeps expected and did not find which began later than so; by sweep.
 *
 * @throws TooMuchEvidence
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
    throw new TooMuchEvidence(
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
