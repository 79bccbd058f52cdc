import { ADVISORY_LOCKS } from '../connections/advisory-locks.ts';
import type { Pool } from '../connections/client.ts';
import { inTransaction } from '../connections/transaction.ts';

/**
 * Merges stretches in which a reader was heard (`reader_spans`) once they are eight days old, across gaps that are no
 * silence of that reader: up to twice the 99.9th percentile of its gaps in the seven days after, at least 30 s, at most a
 * day, as its silence is learned. A reader that sends every minute makes 1,440 of them a day, and keeps a few. Where
 * nothing can be learned, because it was heard for less than an hour since, they stay.
 *
 * A transaction for each reader, since recording waits for its counters meanwhile. Only one process merges at a time.
 *
 * @returns the number of readers looked at.
 */
export async function mergeHeardStretches(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ org_id: number; reader_id: number }>(`
    select org_id, reader_id from reader_counters
    where (
      select count(*) from (
        select from reader_spans span
        where span.org_id = reader_counters.org_id and span.reader_id = reader_counters.reader_id and state = 'up'
          and started_at >= now() - ${OLDEST} and started_at < now() - ${OLD}
        limit 2
      ) two
    ) = 2
    order by org_id, reader_id`);
  for (const { org_id: orgId, reader_id: readerId } of rows) {
    const isMine = await inTransaction(pool, async (client) => {
      const lock = await client.query<{ is_mine: boolean }>(
        'select pg_try_advisory_xact_lock($1) as is_mine',
        [ADVISORY_LOCKS.sweep],
      );
      if (lock.rows[0]?.is_mine === true) {
        await client.query('select from reader_counters where org_id = $1 and reader_id = $2 for update', [
          orgId,
          readerId,
        ]);
        await client.query(MERGE, [orgId, readerId]);
      }
      return lock.rows[0]?.is_mine;
    });
    if (isMine !== true) {
      break;
    }
  }
  return rows.length;
}

const OLD = "interval '8 days'";
/** So that none is left out where no process ran for a week. */
const OLDEST = "interval '16 days'";

const MERGE = `with heard as (
    select started_at, ended_at, messages from reader_spans
      where org_id = $1 and reader_id = $2 and state = 'up' and started_at >= now() - ${OLDEST}
    union all
    select heard_since, heard_until, heard_messages from reader_counters
      where org_id = $1 and reader_id = $2 and heard_since is not null
  ),
  stretch as (
    select *, started_at - lag(ended_at) over (order by started_at) as gap from heard
  ),
  learned as (
    select greatest(interval '30 seconds', least(interval '1 day', 2 * coalesce((
        select gap from stretch
        where started_at >= now() - ${OLD}
        order by gap desc nulls last
        offset (select floor(sum(messages) / 1000)::bigint from stretch where started_at >= now() - ${OLD})
        limit 1), interval '0'))) as silence
    where (select max(ended_at) - min(started_at) from stretch where started_at >= now() - ${OLD})
      >= interval '1 hour'
  ),
  numbered as (
    select started_at, ended_at, messages,
      count(*) filter (where gap is null or gap > silence) over (order by started_at) as number
    from stretch, learned
    where started_at < now() - ${OLD}
  ),
  merged as (
    select min(started_at) as started_at, max(ended_at) as ended_at, sum(messages) as messages
    from numbered group by number having count(*) > 1
  ),
  taken as (
    delete from reader_spans span using merged
    where span.org_id = $1 and span.reader_id = $2 and span.state = 'up'
      and span.started_at > merged.started_at and span.started_at <= merged.ended_at
  )
  update reader_spans span set ended_at = merged.ended_at, messages = merged.messages
  from merged
  where span.org_id = $1 and span.reader_id = $2 and span.state = 'up' and span.started_at = merged.started_at`;
