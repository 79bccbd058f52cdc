import { bigints, integers } from '../../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { MOVES, type Queue } from './queues.ts';

/** How much of an organization's queue is to be sealed, from where. */
export interface Order {
  orgId: number;
  /** Ids up to here are skipped. */
  after: number;
  /** Rows at most, but for the further parts of a change, which get consecutive positions. */
  share: number;
}

export interface Sealed {
  org_id: number;
  rows: number;
  last_id: number;
  /** Seconds since its oldest event was recorded. */
  age: number;
}

/** Organizations in a statement; their heads fit into one notification (8,000 bytes). */
export const ORGANIZATIONS_AT_ONCE = 200;

/**
 * Gives the oldest committed events of each organization their positions, ordered by id and part, and announces the new
 * heads. One statement, so all of it or nothing happens. Positions follow the stored head, whose row is locked: even
 * two sealers give none twice. `offset 0` makes the planner use the index, whatever statistics say of a queue that is
 * mostly empty; rows are then deleted by their place in the table.
 */
export function sealBatch(
  db: Connection,
  orders: readonly Order[],
  { name, columns, sealed, queue, feed, heads, days, begun }: Queue = MOVES,
): Promise<readonly Sealed[]> {
  return db.any(sql.prepared(`seal-${name}`, rowsOf<Sealed>())`
    with first as materialized (
      select visited.org_id, first.*
      from unnest(
          ${sql.binary(integers(orders.map(({ orgId }) => orgId)))}::integer[],
          ${sql.binary(bigints(orders.map(({ after }) => after)))}::bigint[],
          ${sql.binary(integers(orders.map(({ share }) => share)))}::integer[]) as visited (org_id, after, share)
        cross join lateral (
          select ctid as row, id, part, parts from ${queue}
          where org_id = visited.org_id and id > visited.after
          order by id, part limit visited.share offset 0
        ) first
    ), chosen as materialized (
      select row from first
      union all
      select further.row
      from (select distinct on (org_id) * from first order by org_id, id desc, part desc) last
        cross join lateral (
          select ctid as row from ${queue}
          where org_id = last.org_id and id between last.id and last.id and part > last.part
          order by id, part offset 0
        ) further
      where last.part < last.parts
    ), taken as (
      delete from ${queue} queued using chosen where queued.ctid = chosen.row
      returning queued.*
    ), counted as materialized (
      select org_id, count(*) as count, max(id) as last_id, min(recorded_at) as oldest_at from taken group by org_id
    ), headed as materialized (
      insert into ${heads} as kept (org_id, head, sealed_at${begun.columns})
      select org_id, count, statement_timestamp()${begun.values}
      from counted
      on conflict (org_id) do update
      set head = kept.head + excluded.head, sealed_at = greatest(kept.sealed_at, excluded.sealed_at)
      returning org_id, head, sealed_at
    ), sealed as (
      insert into ${feed} (org_id, position, sealed_at, ${columns})
      select org_id, headed.head - count + row_number() over (partition by org_id order by taken.id, taken.part),
        headed.sealed_at, ${columns}
      from taken join counted using (org_id) join headed using (org_id)
    ), dated as (
      insert into ${days} (org_id, day, first_position)
      select org_id, today.day, headed.head - count + 1
      from headed join counted using (org_id)
        cross join lateral (select (headed.sealed_at at time zone 'UTC')::date as day) today
      where today.day is distinct from (
        select day from ${days} known where known.org_id = headed.org_id order by first_position desc limit 1)
    )
    select org_id, count as rows, last_id,
      extract(epoch from clock_timestamp() - oldest_at)::float8 as age,
      (select pg_notify(${sealed}::text, string_agg(org_id || ':' || head, ',')) from headed) as notified
    from counted`);
}
