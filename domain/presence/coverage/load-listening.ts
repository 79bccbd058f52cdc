import { TooMuchWork } from '../../../base/errors.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { type FragmentSqlToken, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Heard, Interval } from '../intervals.ts';
import { packedSpans } from '../packed-spans.ts';
import { evidenceQuery, lastSpanBefore, OF_READER_ASKED } from './evidence-query.ts';
import type { ListeningEvidence } from './listening-times.ts';
import { loadExpectations } from './load-expectations.ts';

/** Longer than any expectation: earlier evidence proves nothing about the window. */
const BEFORE: Micros = 86_400 * MICROS_PER_SECOND;

interface Row extends Interval {
  reader_id: number;
  kind: 'heard' | 'proven' | 'disconnected' | 'delayed' | 'behind';
}

/** Pieces of evidence that are read at a time, at most: 60 MiB. */
export const MOST_PIECES = 200_000;

/**
 * Evidence of when readers listened, of everything that can reach into a time, by reader, in joined stretches: for a
 * reader heard once a minute, a month is one row, not 44,000. Seven days of 200 such readers take 25 ms, and 5 s before
 * rows were joined beforehand.
 *
 * @throws TooMuchWork
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
  const wanted = { orgId, readerIds, expectations, window: { since: since - BEFORE, until } };
  const rows = await db.any(sql.type(rowsOf<Omit<Row, 'until'> & { until: Micros | null }>())`
    select reader_id, kind, micros_of_time(since) as since, micros_of_time(until) as until
    from (${evidenceQuery(wanted, stretches(orgId))}) found
    order by found.since limit ${MOST_PIECES + 1}`);
  if (rows.length > MOST_PIECES) {
    throw new TooMuchWork(`more than ${MOST_PIECES} pieces of evidence of when readers listened`);
  }
  const spans = Map.groupBy(rows, ({ reader_id: id }) => id);
  return new Map(
    readerIds.map((id) => {
      const of = (kind: Row['kind']): Heard[] =>
        (spans.get(id) ?? []).flatMap((row) =>
          row.kind === kind ? [{ since: row.since, until: row.until ?? Number.POSITIVE_INFINITY }] : [],
        );
      return [
        id,
        {
          heard: of('heard'),
          proven: of('proven'),
          disconnected: of('disconnected'),
          delayed: of('delayed'),
          behind: of('behind'),
          expectations: expectations.get(id) ?? [],
        },
      ];
    }),
  );
}

/**
 * Joined stretches as stored; before and after them, and where one was interrupted, the rows they were joined from.
 * Packed rows are older than all joined ones.
 */
function stretches(orgId: number): FragmentSqlToken {
  const own = sql.fragment`span.org_id = ${orgId} and span.reader_id = reader.id`;
  const heard = (condition: FragmentSqlToken) => sql.fragment`
    select span.started_at as since, span.ended_at as until
    from reader_spans span
    where ${own} and span.state = 'up' and span.started_at <= asked.until and span.ended_at >= asked.since
      and span.started_at >= ${lastSpanBefore(orgId, 'up')} and ${condition}`;
  return sql.fragment`
    with valid as materialized (
      select span.started_at as since, span.ended_at as until
      from reader_joined_spans span
      where ${own} and span.ended_at < coalesce((
        select revised.since - interval '15 seconds' from silence_revisions revised
        where revised.org_id = ${orgId} and revised.reader_id = reader.id), 'infinity')
    ),
    joined as materialized (
      select valid.*, coalesce(interruption.during && tstzrange(since, until, '[]'), false) as is_interrupted
      from valid cross join interruption
      where valid.since <= asked.until and valid.until >= asked.since
    ),
    bounds as materialized (
      select coalesce(min(since), '-infinity') as since, coalesce(max(until), '-infinity') as until from valid
    )
    select since, until from joined where not is_interrupted
    union all
    select piece.since, piece.until
    from joined
    cross join lateral (${heard(sql.fragment`span.started_at between joined.since and joined.until`)}) piece
    where joined.is_interrupted
    union all
    select piece.since, piece.until
    from bounds cross join lateral (${heard(sql.fragment`span.started_at < bounds.since`)}) piece
    union all
    select piece.since, piece.until
    from bounds cross join lateral (${heard(sql.fragment`span.started_at > bounds.until`)}) piece
    union all
    select span.started_at, span.ended_at from (${packedSpans('up', { orgId, ...OF_READER_ASKED })}) span
    union all
    select heard_since, heard_until from reader_counters
    where org_id = ${orgId} and reader_id = reader.id and heard_since <= asked.until and heard_until >= asked.since`;
}
