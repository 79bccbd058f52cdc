import type { Pool } from '../connections/client.ts';
import { sweepEach, throwFault } from './in-sweep.ts';

/**
 * Merges stretches in which a reader was heard (`reader_spans`) once they are eight days old, across gaps in which it
 * was neither silent nor disconnected, within its expectation, and without late reads. So neither silences nor
 * listening times change. A reader that sends every minute makes 1,440 a day; a few remain.
 *
 * @returns the number of readers visited.
 */
export async function mergeHeardStretches(pool: Pool, onFault = throwFault): Promise<number> {
  const { rows } = await pool.query<{ org_id: number; reader_id: number }>(`
    select org_id, reader_id from reader_counters
    where (
      select count(*) from (
        select from reader_spans span
        where span.org_id = reader_counters.org_id and span.reader_id = reader_counters.reader_id and state = 'up'
          and started_at >= now() - ${OLDEST} and started_at < now() - ${OLD}
        limit 2
      ) two
    ) = 2 and ${IS_HERE}
    order by org_id, reader_id`);
  return sweepEach(pool, rows, onFault, async (client, { org_id: orgId, reader_id: readerId }) => {
    await client.query(MERGE, [orgId, readerId]);
    await client.query(DROP_JOINED, [orgId, readerId]);
  });
}

/** Rows of `reader_counters`. An organization that is arriving from another cell is left alone until it is complete. */
const IS_HERE = `not exists (
  select from cell_moves move where move.org_id = reader_counters.org_id and move.state = 'arriving')`;

const OLD = "interval '8 days'";
/** So that nothing is skipped after a week without a process. */
const OLDEST = "interval '16 days'";

/** In seconds, at the end of a stretch: the set expectation, else the learned one, else that of a new reader. */
const expected = `coalesce(
  (select seconds from reader_expectations
   where org_id = $1 and reader_id = $2 and origin = 'set' and valid_from <= before
   order by valid_from desc limit 1),
  (select seconds from reader_expectations
   where org_id = $1 and reader_id = $2 and origin = 'learned' and valid_from <= before
   order by valid_from desc limit 1),
  30)`;

/** Readers of joined stretches see these from now on. */
const DROP_JOINED = `delete from reader_joined_spans
  where org_id = $1 and reader_id = $2 and started_at < now() - ${OLD}`;

const MERGE = `with stretch as (
    select started_at, ended_at, messages, lag(ended_at) over (order by started_at) as before
    from reader_spans
    where org_id = $1 and reader_id = $2 and state = 'up'
      and started_at >= now() - ${OLDEST} and started_at < now() - ${OLD}
  ),
  numbered as (
    select started_at, ended_at, messages, count(*) filter (where is_apart) over (order by started_at) as number
    from stretch cross join lateral (
      select before is null or started_at - before > make_interval(secs => ${expected}) or exists (
        select from reader_spans silence
        where silence.org_id = $1 and silence.reader_id = $2 and silence.state = 'silent'
          and silence.started_at >= stretch.before and silence.started_at < stretch.started_at
      ) or coalesce((
        select coalesce(gone.ended_at > stretch.before, true) from reader_spans gone
        where gone.org_id = $1 and gone.reader_id = $2 and gone.state = 'disconnected'
          and gone.started_at < stretch.started_at
        order by gone.started_at desc limit 1
      ), false) or coalesce((
        select proof.ended_at > stretch.before from reader_proofs proof
        where proof.org_id = $1 and proof.reader_id = $2 and proof.started_at < stretch.started_at
        order by proof.started_at desc limit 1
      ), false) or exists (
        select from reader_packed_spans packed
        where packed.org_id = $1 and packed.reader_id = $2 and packed.ended_at >= stretch.before
          and packed.started_at <= stretch.started_at and packed.started_at >= stretch.before - interval '2 days'
      ) as is_apart
    ) gap
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
