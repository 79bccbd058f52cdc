import type { Micros } from '../../../base/instant.ts';
import { type FragmentSqlToken, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { LOOKS_BACK } from '../../presence/coverage/load-places.ts';
import type { Interval } from '../../presence/intervals.ts';
import { packedSpans } from '../../presence/packed-spans.ts';
import { boundPieces, MOST_PIECES, type ReaderEvidence } from './evidence.ts';
import { Surroundings } from './surroundings.ts';

export interface LoadedReaders {
  readers: ReaderEvidence[];
  around: Surroundings;
}

/**
 * When readers were silent or disconnected in a window, and up to 31 days before it while such times touch: these are
 * one stretch. Otherwise a look at one of 200 readers that connect for each message would read 178,000 spans.
 *
 * @throws TooMuchWork
 */
export async function loadReaderEvidence(
  db: Connection,
  orgId: number,
  readerIds: readonly number[],
  window: Interval,
): Promise<LoadedReaders> {
  const rows = await db.any(sql.type(
    rowsOf<{
      id: number;
      deleted_at: Micros | null;
      state: 'silent' | 'disconnected' | null;
      since: Micros;
      until: Micros | null;
    }>(),
  )`
    with recursive reach as (${reaching(orgId, readerIds, window)}),
    first as (select id, min(since) as since from reach group by id)
    select reader.id, micros_of_time(reader.deleted_at) as deleted_at, span.state,
      micros_of_time(span.started_at) as since, micros_of_time(span.ended_at) as until
    from first join readers reader on reader.org_id = ${orgId} and reader.id = first.id
    left join lateral (
      select own.state, own.started_at, own.ended_at from (values ('silent'), ('disconnected')) kind (state)
      cross join lateral (
        select state, started_at, ended_at from reader_spans own
        where own.org_id = ${orgId} and own.reader_id = first.id and own.state = kind.state
          and own.started_at >= first.since and own.started_at < time_of_micros(${window.until})
        offset 0
      ) own
      union all
      select 'disconnected', packed.started_at, packed.ended_at
      from (${packedSpans('disconnected', {
        ...{ orgId, readerId: sql.fragment`first.id`, since: sql.fragment`first.since` },
        ...{ until: sql.fragment`time_of_micros(${window.until})` },
      })}) packed
      where packed.started_at >= first.since and packed.started_at < time_of_micros(${window.until})
    ) span on true
    order by reader.id, span.started_at
    limit ${MOST_PIECES + 1}`);
  boundPieces(rows.length);
  return {
    readers: [...Map.groupBy(rows, ({ id }) => id)].map(([readerId, own]) => ({
      readerId,
      until: own[0]?.deleted_at ?? Number.POSITIVE_INFINITY,
      spans: own.flatMap(({ state, since, until }) =>
        state === null ? [] : [{ state, since, until: until ?? Number.POSITIVE_INFINITY }],
      ),
    })),
    around: new Surroundings({ window, coveredFrom: window.since, subtrees: new Map(), places: new Map() }),
  };
}

/** Per reader, steps back from the window over times that touch each other. */
function reaching(orgId: number, readerIds: readonly number[], window: Interval): FragmentSqlToken {
  const begin = sql.fragment`time_of_micros(${window.since - LOOKS_BACK})`;
  return sql.fragment`
    select id, time_of_micros(${window.since}) as since from readers
    where org_id = ${orgId} and id = any (${sql.array(readerIds, 'int4')})
    union all
    select reach.id, touching.since
    from reach cross join lateral (
      select min(last.started_at) as since
      from (
        select own.started_at, own.ended_at
        from (values ('silent'), ('disconnected')) kind (state)
        cross join lateral (
          -- Spans of one kind are apart: only the last can reach so far.
          select started_at, ended_at from reader_spans own
          where own.org_id = ${orgId} and own.reader_id = reach.id and own.state = kind.state
            and own.started_at < reach.since
          order by own.started_at desc limit 1
        ) own
        union all
        select started_at, ended_at from (${packedSpans('disconnected', {
          ...{ orgId, readerId: sql.fragment`reach.id` },
          ...{ since: sql.fragment`reach.since`, until: sql.fragment`reach.since` },
        })}) packed
        where started_at < reach.since
      ) last
      where coalesce(last.ended_at >= reach.since, true)
    ) touching
    where touching.since is not null and reach.since > ${begin}`;
}
