import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { bigints, doubles, integers } from '../../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Unread } from './evidence.ts';
import { boundPieces, MOST_PIECES } from './most-pieces.ts';

/** Which times between reads are wanted of an asset. */
export interface UnreadWanted {
  assetId: number;
  /** From the last read before that on. */
  since: Micros;
  /** Only what began by then. */
  begunBy: Micros;
  /** Only what lasted for so long, or is not over. */
  apart: Micros;
}

/**
 * Times between reads, by asset, as far as raw scans are kept; but how long ago the last of all was is always known.
 *
 * @param until reads of then and later do not count.
 * @throws TooMuchWork
 */
export async function loadUnread(
  db: Connection,
  orgId: number,
  wanted: readonly UnreadWanted[],
  until: Micros,
): Promise<ReadonlyMap<number, Unread[]>> {
  if (wanted.length === 0) {
    return new Map();
  }
  const micros = (of: (each: UnreadWanted) => Micros) => sql.binary(bigints(wanted.map(of)));
  const seconds = wanted.map(({ apart }) => apart / MICROS_PER_SECOND);
  const rows = await db.any(sql.prepared(
    'load-times-unread',
    rowsOf<{ asset_id: number; since: Micros; until: Micros | null }>(),
  )`
    with wanted as materialized (
      select array_agg(asset_id) as assets, array_agg(time_of_micros(since)) as sinces,
        array_agg(time_of_micros(begun_by)) as begun_by, array_agg(make_interval(secs => apart)) as aparts,
        set_config('tagtrail.org_id', ${String(orgId)}::text, true)::integer as org_id
      from unnest(${sql.binary(integers(wanted.map(({ assetId }) => assetId)))}::integer[],
          ${micros(({ since }) => since)}::bigint[], ${micros(({ begunBy }) => begunBy)}::bigint[],
          ${sql.binary(doubles(seconds))}::float8[])
        as given (asset_id, since, begun_by, apart)
    )
    select apart.asset_id, micros_of_time(apart.since) as since, micros_of_time(apart.until) as until
    from wanted cross join lateral reads_apart(wanted.org_id, wanted.assets, wanted.sinces, wanted.begun_by, wanted.aparts,
      time_of_micros(${until}::bigint), ${MOST_PIECES + 1}::integer) apart`);
  boundPieces(rows.length);
  return new Map(
    [...Map.groupBy(rows, ({ asset_id: id }) => id)].map(([id, own]) => [
      id,
      own
        .map((row) => ({ since: row.since, until: row.until ?? Number.POSITIVE_INFINITY }))
        .toSorted((a, b) => a.since - b.since),
    ]),
  );
}
