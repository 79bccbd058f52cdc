import type { Database } from '../../../db/timescale/connections/database.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { type Change, makeChange } from '../../changes/make-change.ts';
import { KEPT_COLUMNS, type KeptMessage, type KeptRow, toKept } from './kept-message.ts';

/** Has a message on the list no more, or again. Null if there is none of this id (any more). */
export async function setDismissed(
  db: Database,
  actor: Actor,
  id: number,
  isDismissed: boolean,
): Promise<KeptMessage | null> {
  const row = await makeChange(db, actor, (change) => update(change, id, isDismissed));
  return row && toKept(row);
}

function update(change: Change, id: number, isDismissed: boolean): Promise<KeptRow | null> {
  return change.maybeOne(sql.type(rowsOf<KeptRow>())`
    update rejected_messages set dismissed_at = case when ${isDismissed} then coalesce(dismissed_at, now()) end
    where id = ${id} returning ${KEPT_COLUMNS}`);
}
