import { MICROS_PER_SECOND } from '../../../base/instant.ts';
import { type FragmentSqlToken, sql } from '../../../db/timescale/queries/sql.ts';
import type { DatedExpectation } from '../expectations.ts';
import type { Interval } from '../intervals.ts';
import { packedSpans } from '../packed-spans.ts';
import { OF_NEW } from './listening-times.ts';

export interface WantedEvidence {
  orgId: number;
  readerIds: readonly number[];
  /** By reader. */
  expectations: ReadonlyMap<number, readonly DatedExpectation[]>;
  window: Interval;
}

/**
 * A query for evidence of when readers listened: `reader_id`, `kind` (`heard`, `proven`, `disconnected`, `delayed`,
 * `behind`), `since`, `until`. Consecutive stretches become one if the gap is shorter than the reader may be silent,
 * unless it was disconnected or late in between. Reader by reader: sorting one reader's stretches takes memory without
 * repeating its interruptions in each row, which filled the disk for readers that connect for each message.
 *
 * @param stretch a query of `since` and `until` of stretches of the reader `reader.id` in the window `asked`, in which
 * `interruption.during` is when it was disconnected or late.
 */
export function evidenceQuery(
  { orgId, readerIds, expectations, window }: WantedEvidence,
  stretch: FragmentSqlToken,
): FragmentSqlToken {
  const periods = readerIds.flatMap((id) =>
    (expectations.get(id) ?? []).map((each, place) => ({ ...each, id, place })),
  );
  const given = {
    reader: periods.map(({ id }) => id),
    place: periods.map(({ place }) => place),
    from: periods.map(({ from }) => Math.max(from, 0)),
    seconds: periods.map(({ expected }) => (expected ?? OF_NEW) / MICROS_PER_SECOND),
  };
  return sql.fragment`
    with asked as (
      select time_of_micros(${window.since}::bigint) as since, time_of_micros(${window.until}::bigint) as until
    ),
    period as materialized (
      select reader_id, time_of_micros(micros) as since, make_interval(secs => seconds) as expected,
        lead(time_of_micros(micros), 1, 'infinity') over (partition by reader_id order by place) as until
      from unnest(${sql.array(given.reader, 'int4')}, ${sql.array(given.place, 'int4')}, ${sql.array(given.from, 'int8')},
          ${sql.array(given.seconds, 'float8')}) as dated (reader_id, place, micros, seconds)
    )
    select reader.id as reader_id, own.kind, own.since, own.until
    from asked cross join unnest(${sql.array(readerIds, 'int4')}) as reader (id)
    cross join lateral (
      with ${interruptions(orgId)},
      stretch as (${stretch}),
      ${JOINED}
      select 'heard' as kind, min(since) as since, max(until) as until from numbered group by period, place
      union all
      select 'disconnected', since, until from gone
      union all
      select 'proven', since, until from proof
      union all
      ${delays(orgId)}
    ) own`;
}

/** When the reader was disconnected, or reads came late: `gone`, `proof`, and both as `interruption`. */
function interruptions(orgId: number): FragmentSqlToken {
  return sql.fragment`
    gone as materialized (
      select span.started_at as since, span.ended_at as until
      from reader_spans span
      where span.org_id = ${orgId} and span.reader_id = reader.id and span.state = 'disconnected'
        and span.started_at <= asked.until and coalesce(span.ended_at >= asked.since, true)
        and span.started_at >= ${lastSpanBefore(orgId, 'disconnected')}
      union all
      select span.started_at, span.ended_at
      from (${packedSpans('disconnected', { orgId, ...OF_READER_ASKED })}) span
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
    )`;
}

/** Stretches that follow each other before the reader could be missed are one. */
const JOINED = sql.fragment`
    begun as (
      select stretch.*, period.since as period,
        case
          when lag(stretch.until) over by_time is null then true
          when stretch.since <= lag(stretch.until) over by_time then false
          else stretch.since - lag(stretch.until) over by_time > period.expected
            or coalesce((select during from interruption)
              && tstzrange(lag(stretch.until) over by_time, stretch.since, '()'), false)
        end as is_apart
      from stretch
      join period on period.reader_id = reader.id and period.since <= stretch.until and stretch.until < period.until
      window by_time as (partition by period.since order by stretch.since)
    ),
    numbered as (
      select *, count(*) filter (where is_apart) over (partition by period order by since) as place from begun
    )`;

/** Times of reads that came late, and whether the reader is behind. */
function delays(orgId: number): FragmentSqlToken {
  return sql.fragment`
    select 'delayed', started_at, ended_at from reader_delays
    where org_id = ${orgId} and reader_id = reader.id and started_at <= asked.until and ended_at >= asked.since
    union all
    select 'behind', last.ended_at, null from (
      select ended_at from reader_delays where org_id = ${orgId} and reader_id = reader.id
      order by started_at desc limit 1
    ) last
    join reader_counters counted on counted.org_id = ${orgId} and counted.reader_id = reader.id
    where last.ended_at <= asked.until and coalesce(counted.in_time_at < last.ended_at, true)`;
}

/** Columns of the reader `reader.id` in the window `asked`. */
export const OF_READER_ASKED = {
  readerId: sql.fragment`reader.id`,
  since: sql.fragment`asked.since`,
  until: sql.fragment`asked.until`,
};

/** The last span of the reader that began before the window: of earlier spans only that one can reach into it. */
export function lastSpanBefore(orgId: number, state: 'up' | 'disconnected'): FragmentSqlToken {
  return sql.fragment`coalesce((
    select max(before.started_at) from reader_spans before
    where before.org_id = ${orgId} and before.reader_id = reader.id and before.state = ${state}
      and before.started_at < asked.since), asked.since)`;
}
