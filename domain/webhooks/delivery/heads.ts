import { bigints, integers } from '../../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { LANE_OF_MOVE } from '../lanes.ts';

export interface Head {
  orgId: number;
  head: number;
}

/** The heads of the feeds of organizations; none where nothing was ever sealed. */
export async function readHeads(db: Connection, orgIds: readonly number[]): Promise<Head[]> {
  const rows = await db.any(sql.prepared('read-move-heads', rowsOf<{ org_id: number; head: number }>())`
    select org_id, head from move_heads
    where org_id = any(${sql.binary(integers(orgIds))}::integer[])`);
  return rows.map(({ org_id: orgId, head }) => ({ orgId, head }));
}

/** What was sealed since the last look at an organization. */
export interface Sealed {
  orgId: number;
  from: number;
  to: number;
}

/** With more new positions than this the query is not worth it: every lane has some. */
const WORTH_A_LOOK = 256;

/**
 * The lanes with events among what was sealed, by organization, null for all; the others need not look. One statement
 * for all organizations, instead of eight for each of their webhooks.
 */
export async function findTouchedLanes(
  db: Connection,
  sealed: readonly Sealed[],
): Promise<ReadonlyMap<number, ReadonlySet<number> | null>> {
  const touched = new Map<number, Set<number> | null>();
  const few = sealed.filter(({ orgId, from, to }) => {
    const isWorthIt = to - from <= WORTH_A_LOOK;
    touched.set(orgId, isWorthIt ? new Set() : null);
    return isWorthIt;
  });
  if (few.length > 0) {
    const rows = await db.any(sql.prepared('find-touched-lanes', rowsOf<{ org_id: number; lane: number }>())`
      select given.org_id, found.lane
      from unnest(
        ${sql.binary(integers(few.map(({ orgId }) => orgId)))}::integer[],
        ${sql.binary(bigints(few.map(({ from }) => from)))}::bigint[],
        ${sql.binary(bigints(few.map(({ to }) => to)))}::bigint[]
      ) as given (org_id, after, upto)
      cross join lateral (
        select distinct ${LANE_OF_MOVE} as lane from moves move
        where move.org_id = given.org_id and move.position > given.after and move.position <= given.upto
          and move.sealed_at >= coalesce((
            select day from move_days days
            where days.org_id = given.org_id and days.first_position <= given.after + 1
            order by days.first_position desc limit 1), '-infinity')
      ) found`);
    for (const { org_id: orgId, lane } of rows) {
      touched.get(orgId)?.add(lane);
    }
  }
  return touched;
}
