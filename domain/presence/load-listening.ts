import { MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { type DatedExpectation, inForce, type StoredExpectation } from './expectations.ts';
import type { Heard, Interval } from './intervals.ts';
import { type ListeningEvidence, OF_NEW } from './listening-times.ts';

/** Longer than any expectation: what was heard before that is no evidence of then. */
const BEFORE: Micros = 86_400 * MICROS_PER_SECOND;

interface Row extends Interval {
  reader_id: number;
  kind: 'heard' | 'proven' | 'disconnected';
}

/** Pieces of evidence that are read at a time, at most: 60 MiB. */
export const MOST_PIECES = 200_000;

/** There are more pieces of evidence than are looked at. */
export class TooMuchEvidence extends Error {}

/**
 * Evidence of when readers listened, of all that can reach into a time, by reader. Stretches that each began before the
 * reader could be missed after the one before are one here, unless the reader was disconnected between them, or reads of
 * then came late: it listened all the while. So of a reader that is heard once a minute a month is one row, not 44,000.
 * Of 200 such readers' seven days it takes 2 s.
 *
 * Rows of one kind are apart, so of those from before that time only the last can reach into it.
 *
 * @throws TooMuchEvidence
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
  const expectations = await loadExpectations(db, orgId, readerIds);
  const periods = readerIds.flatMap((id) =>
    (expectations.get(id) ?? []).map((each, place) => ({ ...each, id, place })),
  );
  const given = {
    reader: periods.map(({ id }) => id),
    place: periods.map(({ place }) => place),
    from: periods.map(({ from }) => Math.max(from, 0)),
    seconds: periods.map(({ expected }) => (expected ?? OF_NEW) / MICROS_PER_SECOND),
  };
  const lastBefore = (state: 'up' | 'disconnected') => sql.fragment`coalesce((
    select max(before.started_at) from reader_spans before
    where before.org_id = ${orgId} and before.reader_id = reader.id and before.state = ${state}
      and before.started_at < asked.since), asked.since)`;
  const rows = await db.any(sql.type(rowsOf<Omit<Row, 'until'> & { until: Micros | null }>())`
    with asked as (select time_of_micros(${since - BEFORE}::bigint) as since, time_of_micros(${until}::bigint) as until),
    period as materialized (
      select reader_id, time_of_micros(micros) as since, make_interval(secs => seconds) as expected,
        lead(time_of_micros(micros), 1, 'infinity') over (partition by reader_id order by place) as until
      from unnest(${sql.array(given.reader, 'int4')}, ${sql.array(given.place, 'int4')}, ${sql.array(given.from, 'int8')},
          ${sql.array(given.seconds, 'float8')}) as dated (reader_id, place, micros, seconds)
    ),
    -- Reader by reader: what one was heard is sorted in memory.
    found as (
      select reader.id as reader_id, own.kind, own.since, own.until
      from asked cross join unnest(${sql.array(readerIds, 'int4')}) as reader (id)
      cross join lateral (
        with gone as materialized (
          select span.started_at as since, span.ended_at as until
          from reader_spans span
          where span.org_id = ${orgId} and span.reader_id = reader.id and span.state = 'disconnected'
            and span.started_at <= asked.until and coalesce(span.ended_at >= asked.since, true)
            and span.started_at >= ${lastBefore('disconnected')}
        ),
        proof as materialized (
          select started_at as since, ended_at as until from reader_proofs
          where org_id = ${orgId} and reader_id = reader.id and started_at <= asked.until and ended_at >= asked.since
        ),
        interruption as materialized (
          select range_agg(during) as during
          from (
            select tstzrange(since, until) as during from gone
            union all
            select tstzrange(since, until, '[]') from proof
          ) piece
        ),
        stretch as (
          select span.started_at as since, span.ended_at as until
          from reader_spans span
          where span.org_id = ${orgId} and span.reader_id = reader.id and span.state = 'up'
            and span.started_at <= asked.until and span.ended_at >= asked.since
            and span.started_at >= ${lastBefore('up')}
          union all
          select heard_since, heard_until from reader_counters
          where org_id = ${orgId} and reader_id = reader.id and heard_since <= asked.until
            and heard_until >= asked.since
        ),
        begun as (
          select stretch.*, period.since as period,
            case
              when lag(stretch.until) over by_time is null then true
              when stretch.since <= lag(stretch.until) over by_time then false
              else stretch.since - lag(stretch.until) over by_time > period.expected
                or coalesce(interruption.during && tstzrange(lag(stretch.until) over by_time, stretch.since, '()'), false)
            end as is_apart
          from stretch cross join interruption
          join period on period.reader_id = reader.id and period.since <= stretch.until and stretch.until < period.until
          window by_time as (partition by period.since order by stretch.since)
        ),
        numbered as (
          select *, count(*) filter (where is_apart) over (partition by period order by since) as place from begun
        )
        select 'heard' as kind, min(since) as since, max(until) as until from numbered group by period, place
        union all
        select 'disconnected', since, until from gone
        union all
        select 'proven', since, until from proof
      ) own
    )
    select reader_id, kind, micros_of_time(since) as since, micros_of_time(until) as until
    from found order by found.since limit ${MOST_PIECES + 1}`);
  if (rows.length > MOST_PIECES) {
    throw new TooMuchEvidence(`more than ${MOST_PIECES} pieces of evidence of when readers listened`);
  }
  const spans = Map.groupBy(rows, ({ reader_id: id }) => id);
  return new Map(
    readerIds.map((id) => {
      const of = (wanted: Row['kind']): Heard[] =>
        (spans.get(id) ?? []).flatMap((row) =>
          row.kind === wanted ? [{ since: row.since, until: row.until ?? Number.POSITIVE_INFINITY }] : [],
        );
      return [
        id,
        {
          heard: of('heard'),
          proven: of('proven'),
          disconnected: of('disconnected'),
          expectations: expectations.get(id) ?? [],
        },
      ];
    }),
  );
}

async function loadExpectations(
  db: Connection,
  orgId: number,
  readerIds: readonly number[],
): Promise<ReadonlyMap<number, DatedExpectation[]>> {
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
  const byReader = Map.groupBy(stored, ({ reader_id: id }) => id);
  return new Map(
    readerIds.map((id) => {
      const dated = (byReader.get(id) ?? []).map(({ origin, since: from, seconds }) => ({
        ...{ origin, from },
        expected: seconds === null ? null : seconds * MICROS_PER_SECOND,
      }));
      return [id, inForce(dated)];
    }),
  );
}
