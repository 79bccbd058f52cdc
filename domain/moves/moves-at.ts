import { greatestOf, leastOf } from '../../base/extremes.ts';
import { bigints } from '../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { eventOf, type FeedEvent, type MoveRow } from './event.ts';
import { NAMED, NAMED_COLUMNS } from './named-moves.ts';
import { sealedFor } from './sealed-for.ts';

/** At most so many events are searched for moves: a storm of alerts may have followed the last move. */
const LOOKED_AT = 10_000;

/** Bytes of rows, as they are stored. */
const LARGE = 65_536;

/**
 * Reads the events at these positions, in order, with present names. Missing positions are left out.
 *
 * @param positions a few dozen.
 */
export function movesAt(db: Connection, orgId: number, positions: readonly number[]): Promise<FeedEvent[]> {
  return movesAtAs(db, orgId, positions, eventOf);
}

/** {@link movesAt}, each row as `make` shows it. */
export async function movesAtAs<Event>(
  db: Connection,
  orgId: number,
  positions: readonly number[],
  make: (row: MoveRow) => Event,
): Promise<Event[]> {
  if (positions.length === 0) {
    return [];
  }
  const rows = await db.any(sql.prepared('read-moves-at', rowsOf<MoveRow>())`
    select ${NAMED_COLUMNS}
    from moves move
    ${NAMED}
    where move.org_id = ${orgId} and move.position = any(${sql.binary(bigints(positions))}::bigint[])
      and ${sealedFor(orgId, leastOf(positions), greatestOf(positions))}
    order by move.position`);
  return rows.map(make);
}

/**
 * The last moves of assets from one location to another, the latest last, each as `make` shows it. Leaves out
 * alerts.
 */
export async function latestMoves<Event>(
  db: Connection & { readonly orgId: number },
  most: number,
  make: (row: MoveRow) => Event,
): Promise<Event[]> {
  const { orgId } = db;
  const feed = await db.maybeOne(sql.prepared('find-head-of-moves', rowsOf<{ head: number }>())`
    select head from move_heads where org_id = ${orgId}`);
  const head = feed?.head ?? 0;
  const rows = await db.any(sql.prepared('find-latest-moves', rowsOf<{ position: number }>())`
    select position from (
      select position, sum(coalesce(pg_column_size(rows), 0)) over (order by position desc) as size
      from (
        select move.position, move.rows from moves move
        where move.org_id = ${orgId} and move.position > ${head - LOOKED_AT}::int8 and move.position <= ${head}::int8
          and ${sealedFor(orgId, head - LOOKED_AT + 1, head)}
          and move.asset_id is not null and move.part = 1
          and move.location_id is distinct from move.previous_location_id
        order by move.position desc limit ${most}::integer
      ) last
    ) sized
    where size < ${LARGE}`);
  return movesAtAs(
    db,
    orgId,
    rows.map(({ position }) => position),
    make,
  );
}
