import { AppError } from '../../../base/errors.ts';
import { JsonText } from '../../../base/json/json-text.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { changed, makeChange } from '../../changes/make-change.ts';
import { LIVE_READERS } from '../live-readers.ts';
import { lockRegistrations } from '../lock-registrations.ts';

/**
 * Deletes a format of an organization's own.
 *
 * @throws AppError `not_found`, `conflict` (a reader uses it).
 */
export async function deleteFormat(db: Database, actor: Actor, orgId: number, name: string): Promise<void> {
  await makeChange(db, actor, async (change) => {
    await lockRegistrations(change);
    const stored = await change.maybeOne(sql.type(rowsOf<{ source: string }>())`
      select source::text from formats where name = ${name} and org_id = ${orgId} for update`);
    if (stored === null) {
      throw new AppError('not_found', 'Format not found');
    }
    const readers = await change.any(sql.type(rowsOf<{ name: string }>())`
      select reader.name from ${LIVE_READERS} where reader.format = ${name} order by reader.name limit 5`);
    if (readers.length > 0) {
      const names = readers.map((reader) => reader.name).join(', ');
      throw new AppError('conflict', `Readers use it (${names}); give them another format first`);
    }
    await change.exec(sql.type(NO_ROWS)`delete from formats where name = ${name} and org_id = ${orgId}`);
    return changed(undefined, [
      {
        ...{ orgId, action: 'delete', resource: { type: 'format', id: name } },
        ...{ before: { definition: new JsonText(stored.source) }, after: null },
      },
    ]);
  });
}
