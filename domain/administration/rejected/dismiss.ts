import { wireTimeOrNull } from '../../../base/timestamps.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { type Change, changed, makeChange } from '../../changes/make-change.ts';
import { KEPT_COLUMNS, type KeptMessage, type KeptRow, toKept } from './kept-message.ts';

/** {@link setDismissedAll} for one. Null if the message is not kept (any more). */
export async function setDismissed(
  db: Database,
  actor: Actor,
  id: number,
  isDismissed: boolean,
): Promise<KeptMessage | null> {
  const [message] = await setDismissedAll(db, actor, [id], isDismissed);
  return message ?? null;
}

/**
 * Hides messages from the list, or shows them again.
 *
 * @returns the kept ones.
 */
export async function setDismissedAll(
  db: Database,
  actor: Actor,
  ids: readonly number[],
  isDismissed: boolean,
): Promise<KeptMessage[]> {
  return makeChange(db, actor, async (change) => {
    const rows = await update(change, ids, isDismissed);
    const entries = rows
      .filter((row) => (row.was_dismissed_at === null) !== (row.dismissed_at === null))
      .map((row) => ({
        orgId: row.org_id,
        action: isDismissed ? ('dismiss' as const) : ('restore' as const),
        resource: { type: 'rejected_message' as const, id: row.id },
        before: { dismissed_at: wireTimeOrNull(row.was_dismissed_at) },
        after: { dismissed_at: wireTimeOrNull(row.dismissed_at) },
      }));
    return changed(rows.map(toKept), entries);
  });
}

type Dismissed = KeptRow & { was_dismissed_at: string | null };

/** Locks in order of ids, as others that take several do. */
function update(change: Change, ids: readonly number[], isDismissed: boolean): Promise<readonly Dismissed[]> {
  return change.any(sql.type(rowsOf<Dismissed>())`
    with before as materialized (
      select id as locked_id, dismissed_at as was_dismissed_at from rejected_messages
      where id = any(${sql.array(ids, 'int8')}) order by id for update
    )
    update rejected_messages
    set dismissed_at = case when ${isDismissed} then coalesce(rejected_messages.dismissed_at, now()) end
    from before where id = locked_id
    returning ${KEPT_COLUMNS}, was_dismissed_at`);
}
