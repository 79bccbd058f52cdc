import type { Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

/**
 * The position after which everything recorded at a time or later follows: of the last event that was sealed before it,
 * or else the one before the oldest that is kept.
 *
 * Events are sealed in the order of their positions, which have no gaps, so it is found by halving: some twenty look-ups
 * by the primary key among a million events, instead of a scan or another index.
 */
export async function positionAt(db: Connection, orgId: number, at: Micros): Promise<number> {
  const row = await db.maybeOne(sql.type(rowsOf<{ position: number }>())`
    with recursive search (low, high) as (
      select oldest, head + 1 from move_heads where org_id = ${orgId}
      union all
      select case when is_before then middle + 1 else low end, case when is_before then high else middle end
      from (
        select low, high, middle, coalesce((
          select move.sealed_at < time_of_micros(${at}) from moves move
          where move.org_id = ${orgId} and move.position = middle
        ), true) as is_before
        from (select low, high, (low + high) / 2 as middle from search where low < high) halves
      ) probes
    )
    select low - 1 as position from search where low = high`);
  return row?.position ?? 0;
}
