import { notFound } from '../../../base/errors.ts';
import { requireName } from '../../../base/names.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { changed, makeChange, unchanged } from '../../changes/make-change.ts';

/**
 * @param orgId null for whichever organization has it.
 * @throws AppError `invalid_input` (name), `not_found`.
 */
export async function renameHandheld(
  db: Database,
  actor: Actor,
  { orgId, id, name }: { orgId: number | null; id: number; name: string },
): Promise<void> {
  requireName('a handheld', name);
  await makeChange(db, actor, async (change) => {
    const before = await change.maybeOne(sql.type(rowsOf<{ org_id: number; name: string }>())`
      select org_id, name from handhelds
      where (${orgId}::integer is null or org_id = ${orgId}::integer) and id = ${id} for update`);
    if (before === null) {
      throw notFound(`Handheld ${id} not found`);
    }
    if (before.name === name) {
      return unchanged(undefined);
    }
    await change.exec(sql.type(NO_ROWS)`
      update handhelds set name = ${name} where org_id = ${before.org_id} and id = ${id}`);
    return changed(undefined, [
      {
        ...{ orgId: before.org_id, action: 'update', resource: { type: 'handheld', id } },
        before: { name: before.name },
        after: { name },
      },
    ]);
  });
}
