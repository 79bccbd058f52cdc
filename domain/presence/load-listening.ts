import { MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { inForce, type StoredExpectation } from './expectations.ts';
import type { Heard, Interval } from './intervals.ts';
import type { ListeningEvidence } from './listening-times.ts';

/** Longer than any expectation: what was heard before that is no evidence of then. */
const BEFORE: Micros = 86_400 * MICROS_PER_SECOND;

interface Row extends Interval {
  reader_id: number;
  kind: 'heard' | 'proven' | 'disconnected';
}

/**
 * Evidence of when readers listened, of all that can reach into a time, by reader.
 *
 * Rows of one kind are apart, so of those from before that time only the last can reach into it.
 */
export async function loadListening(
  db: Connection,
  orgId: number,
  readerIds: readonly number[],
  { since, until }: Interval,
): Promise<ReadonlyMap<number, ListeningEvidence>> {
  if (readerIds.length === 0) {
    return new Map();
  }
  const rows = await db.any(sql.type(rowsOf<Omit<Row, 'until'> & { until: Micros | null }>())`
    with asked as (select time_of_micros(${since - BEFORE}::bigint) as since, time_of_micros(${until}::bigint) as until)
    select reader.id as reader_id, found.kind, micros_of_time(found.since) as since, micros_of_time(found.until) as until
    from asked cross join unnest(${sql.array(readerIds, 'int4')}) as reader (id)
    cross join lateral (
      select case span.state when 'up' then 'heard' else span.state end as kind, span.started_at as since,
        span.ended_at as until
      from (values ('up'), ('disconnected')) wanted (state)
      join reader_spans span on span.org_id = ${orgId} and span.reader_id = reader.id and span.state = wanted.state
        and span.started_at <= asked.until and coalesce(span.ended_at >= asked.since, true)
        and span.started_at >= coalesce((
          select max(before.started_at) from reader_spans before
          where before.org_id = ${orgId} and before.reader_id = reader.id and before.state = wanted.state
            and before.started_at < asked.since), asked.since)
      union all
      select 'heard', heard_since, heard_until from reader_counters
      where org_id = ${orgId} and reader_id = reader.id and heard_since <= asked.until and heard_until >= asked.since
      union all
      select 'proven', started_at, ended_at from reader_proofs
      where org_id = ${orgId} and reader_id = reader.id and started_at <= asked.until and ended_at >= asked.since
    ) found
    order by found.since`);
  const stored = await db.any(sql.type(
    rowsOf<{
      reader_id: number;
      origin: StoredExpectation['origin'];
      since: Micros;
      seconds: number | null;
    }>(),
  )`
    select reader_id, origin, micros_of_time(valid_from) as since, seconds
    from reader_expectations where org_id = ${orgId} and reader_id = any (${sql.array(readerIds, 'int4')})`);
  const spans = Map.groupBy(rows, ({ reader_id: id }) => id);
  const expectations = Map.groupBy(stored, ({ reader_id: id }) => id);
  return new Map(
    readerIds.map((id) => {
      const of = (wanted: Row['kind']): Heard[] =>
        (spans.get(id) ?? []).flatMap((row) =>
          row.kind === wanted ? [{ since: row.since, until: row.until ?? Number.POSITIVE_INFINITY }] : [],
        );
      const dated = (expectations.get(id) ?? []).map(({ origin, since: from, seconds }) => ({
        ...{ origin, from },
        expected: seconds === null ? null : seconds * MICROS_PER_SECOND,
      }));
      return [
        id,
        {
          heard: of('heard'),
          proven: of('proven'),
          disconnected: of('disconnected'),
          expectations: inForce(dated),
        },
      ];
    }),
  );
}
