import { greatestOf, leastOf } from '../../base/extremes.ts';
import { bigints } from '../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { eventOf, type FeedEvent, type MoveRow } from './event.ts';
import { NAMED, NAMED_COLUMNS } from './named-moves.ts';
import { sealedFor } from './sealed-for.ts';

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
