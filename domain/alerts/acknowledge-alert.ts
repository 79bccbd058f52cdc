import { notFound } from '../../base/errors.ts';
import type { Database } from '../../db/timescale/connections/database.ts';
import { NO_ROWS, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Actor } from '../changes/actor.ts';
import { changed, makeChange, unchanged } from '../changes/make-change.ts';
import type { AlertTold } from '../moves/alert-event.ts';

/**
 * Records that somebody has noticed an open alert. One that was acknowledged before, or is over, does not change.
 *
 * @param by the shown name of the person.
 * @throws AppError `not_found`.
 */
export function acknowledgeAlert(
  db: Pick<Database, 'transaction'>,
  actor: Actor,
  { orgId, id }: { orgId: number; id: string },
  by: string,
): Promise<void> {
  return makeChange(db, actor, async (change) => {
    const alert = await change.maybeOne(sql.type(rowsOf<{ state: AlertTold['state'] }>())`
      select state from alerts where org_id = ${orgId} and id = ${id} for update`);
    if (alert === null) {
      throw notFound('Alert not found');
    }
    if (alert.state !== 'open') {
      return unchanged(undefined);
    }
    await change.exec(sql.type(NO_ROWS)`
      update alerts set state = 'acknowledged', acknowledged_at = clock_timestamp(), acknowledged_by = ${by}
      where org_id = ${orgId} and id = ${id}`);
    return changed(undefined, [
      {
        ...{ orgId, action: 'acknowledge', resource: { type: 'alert', id } },
        ...{ before: { state: 'open' }, after: { state: 'acknowledged' } },
      },
    ]);
  });
}
