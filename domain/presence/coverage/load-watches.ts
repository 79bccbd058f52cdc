import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { DatedWatch, Watch } from './watches.ts';

/** How locations were watched until an instant, by location, in order. */
export async function loadWatches(
  db: Connection,
  orgId: number,
  locationIds: readonly number[],
  until: Micros,
): Promise<ReadonlyMap<number, DatedWatch[]>> {
  const rows = await db.any(sql.type(
    rowsOf<{
      location_id: number;
      from: Micros;
      mode: Watch['mode'];
      max_gap_seconds: number | null;
      coverage: Watch['coverage'];
    }>(),
  )`
    select location_id, micros_of_time(valid_from) as from, mode, max_gap_seconds, coverage
    from location_watches
    where org_id = ${orgId} and location_id = any (${sql.array(locationIds, 'int4')})
      and valid_from < time_of_micros(${until})
    order by location_id, valid_from`);
  return new Map(
    [...Map.groupBy(rows, ({ location_id: id }) => id)].map(([id, own]) => [
      id,
      own.map(({ from, mode, max_gap_seconds: seconds, coverage }) => ({
        ...{ from, mode, coverage },
        maxGap: seconds === null ? null : seconds * MICROS_PER_SECOND,
      })),
    ]),
  );
}
