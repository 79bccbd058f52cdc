import type { Micros } from '../../../base/instant.ts';
import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Interval } from '../../presence/intervals.ts';
import type { Stay } from './evidence.ts';
import { boundPieces, MOST_PIECES } from './most-pieces.ts';

/**
 * Where assets were in a time, by asset; the last lasts until infinity.
 *
 * An asset that has not moved since is not looked up in its history, as in reports about stays.
 *
 * @throws TooMuchWork
 */
export async function loadStays(
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
