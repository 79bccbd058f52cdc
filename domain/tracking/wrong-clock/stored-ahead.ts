import { MICROS_PER_MILLISECOND, MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import { TOLERATED_SKEW } from '../../../db/timescale/queries/database-clock.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { AHEAD_TOLERANCE } from '../observed-at.ts';

/** The newest that a clock recorded which was ahead of what the database's is now. */
export interface StoredAhead {
  org_id: number;
  at: Micros;
  ahead: Micros;
}

/** Later than anything that was received by now may have been observed. */
const LATER = AHEAD_TOLERANCE + TOLERATED_SKEW * MICROS_PER_MILLISECOND;

/**
 * Finds readers' scans and messages that are dated later than now. Without rows that lie ahead it reads nothing: scans of an
 * organization have an index by their time, and messages by that of their reception.
 */
export async function findStoredAhead(db: Connection): Promise<StoredAhead | null> {
  return db.maybeOne(sql.prepared('find-stored-ahead', rowsOf<StoredAhead>())`
    with limits as (select now() + make_interval(secs => ${LATER / MICROS_PER_SECOND}::float8) as latest),
    found as (
      select organization.id as org_id, (
        select scan.observed_at from scan_events scan
        where scan.org_id = organization.id and scan.reader_id is not null and scan.observed_at > limits.latest
        order by scan.observed_at desc limit 1
      ) as at
      from organizations organization cross join limits where organization.deleted_at is null
      union all
      (
        select message.org_id, message.received_at from received_messages message, limits
        where message.received_at > limits.latest order by message.received_at desc limit 1
      )
    )
    select org_id, micros_of_time(at) as at, micros_of_time(at) - micros_of_time(now()) as ahead
    from found where at is not null order by at desc limit 1`);
}

export function sayStoredAhead({ org_id: orgId, at, ahead }: StoredAhead): string {
  const seconds = Math.round(ahead / MICROS_PER_SECOND);
  return `organization ${orgId} has something of ${wireTimeOfMicros(at)}, ${seconds} s ahead of the clock as it is now; npx --no -- tagtrail clock mend dates it again`;
}
