import type { Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Interval } from '../intervals.ts';

/** When processes of ingestion could hear; of each process, not joined. @param since those that ended before are left out. */
export async function loadWatches(db: Connection, since: Micros | null): Promise<readonly Interval[]> {
  return db.any(sql.prepared('load-intake-watches', rowsOf<Interval>())`
    select micros_of_time(started_at) as since, micros_of_time(ended_at) as until
    from intake_watches
    where ${since}::bigint is null or ended_at >= time_of_micros(${since}::bigint)`);
}
