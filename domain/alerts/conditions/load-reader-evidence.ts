import type { Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { LOOKS_BACK } from '../../presence/coverage/load-places.ts';
import type { Interval } from '../../presence/intervals.ts';
import type { ReaderEvidence } from './evidence.ts';
import { boundPieces, MOST_PIECES } from './most-pieces.ts';
import { Surroundings } from './surroundings.ts';

export interface LoadedReaders {
  readers: ReaderEvidence[];
  around: Surroundings;
}

/**
 * When readers were silent or disconnected, from 31 days before a window on.
 *
 * @throws TooMuchEvidence
 */
export async function loadReaderEvidence(
  db: Connection,
  orgId: number,
  readerIds: readonly number[],
  window: Interval,
): Promise<LoadedReaders> {
  const begin = sql.fragment`time_of_micros(${window.since - LOOKS_BACK})`;
  const rows = await db.any(sql.type(
    rowsOf<{
      id: number;
      deleted_at: Micros | null;
      state: 'silent' | 'disconnected' | null;
      since: Micros;
      until: Micros | null;
    }>(),
  )`
    select reader.id, micros_of_time(reader.deleted_at) as deleted_at, span.state,
      micros_of_time(span.started_at) as since, micros_of_time(span.ended_at) as until
    from readers reader
    left join lateral (
      select span.state, span.started_at, span.ended_at
      from (values ('silent'), ('disconnected')) kind (state)
      cross join lateral (
        select * from reader_spans own
        where own.org_id = ${orgId} and own.reader_id = reader.id and own.state = kind.state
          -- Spans of one kind are apart: of those from before, only the last can reach into the time.
          and own.started_at >= coalesce((
            select max(before.started_at) from reader_spans before
            where before.org_id = ${orgId} and before.reader_id = reader.id and before.state = kind.state
              and before.started_at < ${begin}), ${begin})
          and own.started_at < time_of_micros(${window.until})
      ) span
    ) span on true
    where reader.org_id = ${orgId} and reader.id = any (${sql.array(readerIds, 'int4')})
    order by reader.id, span.started_at
    limit ${MOST_PIECES + 1}`);
  boundPieces(rows);
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
