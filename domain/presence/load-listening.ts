import { MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { inForce, type StoredExpectation } from './expectations.ts';
import type { Heard, Interval } from './intervals.ts';
import type { ListeningEvidence } from './listening-times.ts';
import type { ReaderId } from './store-connections.ts';

/** Longer than any expectation: what was heard before that is no evidence of then. */
const BEFORE: Micros = 86_400 * MICROS_PER_SECOND;

/** Evidence of when a reader listened, of all that can reach into a time. */
export async function loadListening(
  db: Connection,
  { orgId, readerId }: ReaderId,
  { since, until }: Interval,
): Promise<ListeningEvidence> {
  const rows = await db.any(sql.type(
    rowsOf<{ kind: 'heard' | 'proven' | 'disconnected'; since: Micros; until: Micros | null }>(),
  )`
    with asked as (select time_of_micros(${since - BEFORE}::bigint) as since, time_of_micros(${until}::bigint) as until)
    select kind, micros_of_time(found.since) as since, micros_of_time(found.until) as until
    from asked cross join lateral (
      select case state when 'up' then 'heard' else state end as kind, started_at as since, ended_at as until
      from reader_spans
      where org_id = ${orgId} and reader_id = ${readerId} and state in ('up', 'disconnected')
        and started_at <= asked.until and coalesce(ended_at >= asked.since, true)
      union all
      select 'heard', heard_since, heard_until from reader_counters
      where org_id = ${orgId} and reader_id = ${readerId} and heard_since <= asked.until and heard_until >= asked.since
      union all
      select 'proven', started_at, ended_at from reader_proofs
      where org_id = ${orgId} and reader_id = ${readerId} and started_at <= asked.until and ended_at >= asked.since
    ) found
    order by found.since`);
  const stored = await db.any(sql.type(
    rowsOf<{ origin: StoredExpectation['origin']; since: Micros; seconds: number | null }>(),
  )`
    select origin, micros_of_time(valid_from) as since, seconds
    from reader_expectations where org_id = ${orgId} and reader_id = ${readerId}`);
  const heard = (wanted: 'heard' | 'proven'): Heard[] =>
    rows.flatMap((row) =>
      row.kind === wanted && row.until !== null ? [{ since: row.since, until: row.until }] : [],
    );
  return {
    heard: heard('heard'),
    proven: heard('proven'),
    disconnected: rows.flatMap((row) =>
      row.kind === 'disconnected' ? [{ since: row.since, until: row.until ?? Number.POSITIVE_INFINITY }] : [],
    ),
    expectations: inForce(
      stored.map(({ origin, since: from, seconds }) => ({
        ...{ origin, from },
        expected: seconds === null ? null : seconds * MICROS_PER_SECOND,
      })),
    ),
  };
}
