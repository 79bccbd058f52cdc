import { MICROS_PER_MILLISECOND, MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { TOLERATED_SKEW } from '../../../db/timescale/queries/database-clock.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { AHEAD_TOLERANCE } from '../observed-at.ts';

interface StoredAhead {
  org_id: number;
  at: Micros;
  ahead: Micros;
}

/** Later than anything that was received by now may have been observed. */
export const LATER = AHEAD_TOLERANCE + TOLERATED_SKEW * MICROS_PER_MILLISECOND;

/**
 * Names the newest that a clock recorded which was ahead of what the database's is now; null if there is nothing such.
 * Without rows that lie ahead it reads little: all have an index by that time, or are a row for each reader. Those have none:
 * 20,000 are read in 2 ms (1.6 to 4.0), and with an index no count of a message would be a heap-only update any more, which
 * took twice as long.
 */
export async function sayStoredAhead(db: Connection): Promise<string | null> {
  const found = await db.maybeOne(sql.prepared('find-stored-ahead', rowsOf<StoredAhead>())`
    with limits as (select now() + make_interval(secs => ${LATER / MICROS_PER_SECOND}::float8) as latest),
    found as (
      select organization.id as org_id, greatest(
        (
          select scan.observed_at from scan_events scan
          where scan.org_id = organization.id and scan.observed_at > limits.latest
          order by scan.observed_at desc limit 1
        ),
        (
          select sweep.ended_at from sweeps sweep
          where sweep.org_id = organization.id and sweep.ended_at > limits.latest
          order by sweep.ended_at desc limit 1
        )
      ) as at
      from organizations organization cross join limits where organization.deleted_at is null
      union all
      (
        select message.org_id, message.received_at from received_messages message, limits
        where message.received_at > limits.latest order by message.received_at desc limit 1
      )
      union all
      (
        select submission.org_id, submission.received_at from submissions submission, limits
        where submission.received_at > limits.latest order by submission.received_at desc limit 1
      )
      union all
      select counted.org_id, counted.heard_until from reader_counters counted, limits
      where counted.heard_until > limits.latest
    )
    select org_id, micros_of_time(at) as at, micros_of_time(at) - micros_of_time(now()) as ahead
    from found where at is not null order by at desc limit 1`);
  if (found === null) {
    return null;
  }
  const seconds = Math.round(found.ahead / MICROS_PER_SECOND);
  return `organization ${found.org_id} has data of ${wireTimeOfMicros(found.at)}, ${seconds} s ahead of the clock; ${TAGTRAIL} clock mend corrects it`;
}
