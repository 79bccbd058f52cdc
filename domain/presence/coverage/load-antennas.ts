import { TooMuchWork } from '../../../base/errors.ts';
import type { Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Interval } from '../intervals.ts';
import { MOST_PIECES } from '../load-listening.ts';
import type { AntennaSpan } from './covered-times.ts';

/**
 * The antennas that were enabled at locations, by location, until they were changed or their reader was deleted.
 *
 * @throws TooMuchWork
 */
export async function loadAntennas(
  db: Connection,
  orgId: number,
  locationIds: readonly number[],
  window: Interval,
): Promise<ReadonlyMap<number, AntennaSpan[]>> {
  if (locationIds.length === 0) {
    return new Map();
  }
  const rows = await db.any(sql.type(
    rowsOf<{ location_id: number; reader_id: number; since: Micros; until: Micros | null }>(),
  )`
    select version.location_id, version.reader_id, micros_of_time(version.since) as since,
      micros_of_time(ended.until) as until
    from antenna_versions version
      join readers reader on reader.org_id = version.org_id and reader.id = version.reader_id
      cross join lateral (
        select least(reader.deleted_at, (
          select min(later.since) from antenna_versions later
          where later.org_id = version.org_id and later.reader_id = version.reader_id and later.port = version.port
            and later.since > version.since
        )) as until
      ) ended
    where version.org_id = ${orgId} and version.location_id = any (${sql.array(locationIds, 'int4')})
      and version.is_enabled and version.since < time_of_micros(${window.until})
      and coalesce(ended.until > time_of_micros(${window.since}), true)
    limit ${MOST_PIECES + 1}`);
  if (rows.length > MOST_PIECES) {
    throw new TooMuchWork(`more than ${MOST_PIECES} changes of antennas at these locations`);
  }
  return Map.groupBy(
    rows.map((row) => ({
      locationId: row.location_id,
      readerId: row.reader_id,
      since: row.since,
      until: row.until ?? Number.POSITIVE_INFINITY,
    })),
    ({ locationId }) => locationId,
  );
}
