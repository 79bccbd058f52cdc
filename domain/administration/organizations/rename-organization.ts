import { requireName } from '../../../base/names.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { changed, makeChange, unchanged } from '../../changes/make-change.ts';
import { missing, type OrganizationRow } from './live-organization.ts';

/**
 * Calls an organization something else; its members' sessions have the new name once it is heard everywhere.
 *
 * @throws AppError `invalid_input` unless the name has 1 to 255 characters, `not_found`.
 */
export async function renameOrganization(
  db: Database,
  actor: Actor,
  { id, name }: OrganizationRow,
): Promise<OrganizationRow> {
  requireName('an organization', name);
  return makeChange(db, actor, async (change) => {
    const before = await change.maybeOne(sql.type(rowsOf<{ name: string }>())`
      select name from organizations where id = ${id} and deleted_at is null for no key update`);
    if (before === null) {
      throw missing(id);
    }
    if (before.name === name) {
      return unchanged({ id, name });
    }
    await change.exec(sql.type(NO_ROWS)`update organizations set name = ${name} where id = ${id}`);
    return changed({ id, name }, [
      {
        ...{ orgId: id, action: 'update', resource: { type: 'organization', id } },
        before: { name: before.name },
        after: { name },
      },
    ]);
  });
}
