import { AppError } from '../../../base/errors.ts';
import { heardEverywhere } from '../../../base/heard-everywhere.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { changed, makeChange, unchanged } from '../../changes/make-change.ts';

/**
 * Deletes a consumer's login: the embedded broker refuses it from now on, and ends its connections within a second.
 *
 * @throws AppError `not_found`.
 */
export async function deleteConsumer(
  db: Database,
  actor: Actor,
  id: number,
): Promise<{ id: number; name: string }> {
  const deleted = await makeChange(db, actor, async (change) => {
    const row = await change.maybeOne(sql.type(rowsOf<{ org_id: number; name: string }>())`
      delete from mqtt_consumers where id = ${id} returning org_id, name`);
    if (row === null) {
      return unchanged(null);
    }
    const { org_id: orgId, name } = row;
    return changed({ id, name }, [
      { orgId, action: 'delete', resource: { type: 'mqtt_consumer', id }, before: { name }, after: null },
    ]);
  });
  if (deleted === null) {
    throw new AppError('not_found', `Consumer ${id} not found`);
  }
  await heardEverywhere();
  return deleted;
}
