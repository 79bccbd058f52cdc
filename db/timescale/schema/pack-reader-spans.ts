import type { Pool } from '../connections/client.ts';
import { sweepEach, throwFault } from './in-sweep.ts';

/**
 * Packs days with many spans of a reader (`reader_spans`) into one row each (`reader_packed_spans`) once they are eight
 * days old and merged: a reader that connects for each message makes 11,520 unmergeable rows a day. Readers of spans
 * get the same result. Rows that are arriving from another cell are left alone.
 *
 * @returns the number of days visited.
 */
export async function packReaderSpans(pool: Pool, onFault = throwFault): Promise<number> {
  const { rows } = await pool.query<{ org_id: number; reader_id: number; day: string }>(`
    select reader.org_id, reader.id as reader_id, many.day::text
    from readers reader
    cross join lateral (
      select date_trunc('day', started_at, 'UTC') as day from reader_spans span
      where span.org_id = reader.org_id and span.reader_id = reader.id and state in ('up', 'disconnected')
        and started_at >= ${OLD} - interval '8 days' and started_at < ${OLD}
      group by day having count(*) >= ${MANY}
    ) many
    where not exists (
      select from cell_moves move where move.org_id = reader.org_id and move.state = 'arriving'
    )
    order by reader.org_id, reader.id, many.day`);
  return sweepEach(pool, rows, onFault, async (client, { org_id: orgId, reader_id: readerId, day }) => {
    await client.query(`select set_config('tagtrail.packs_spans', 'on', true)`);
    await client.query(PACK, [orgId, readerId, day]);
  });
}

/** Whole days, because earlier spans are merged. */
const OLD = "date_trunc('day', now() - interval '8 days', 'UTC')";

/** Spans of a day: fewer are no burden. */
const MANY = 100;

/** No span is longer than an hour, so a search for spans need not look at packs of long before. */
const PACK = `with last as (
    select kind.state, (
        select max(started_at) from reader_spans span
        where span.org_id = $1 and span.reader_id = $2 and span.state = kind.state
      ) as started_at
    from (values ('up'), ('disconnected')) kind (state)
  ),
  piece as (
    delete from reader_spans span using last
    where span.org_id = $1 and span.reader_id = $2 and span.state = last.state
      and span.started_at >= $3::timestamptz and span.started_at < $3::timestamptz + interval '1 day'
      and span.started_at < last.started_at and span.ended_at <= span.started_at + interval '1 hour'
    returning span.state, span.started_at, span.ended_at, span.messages
  )
  insert into reader_packed_spans (org_id, reader_id, started_at, ended_at, heard_since, heard_until, heard_messages,
    away_since, away_until)
  select $1, $2, min(started_at), max(ended_at),
    coalesce(array_agg(started_at order by started_at) filter (where state = 'up'), '{}'),
    coalesce(array_agg(ended_at order by started_at) filter (where state = 'up'), '{}'),
    coalesce(array_agg(messages order by started_at) filter (where state = 'up'), '{}'),
    coalesce(array_agg(started_at order by started_at) filter (where state = 'disconnected'), '{}'),
    coalesce(array_agg(ended_at order by started_at) filter (where state = 'disconnected'), '{}')
  from piece having count(*) > 0`;
