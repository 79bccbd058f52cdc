import { requireName } from '../../../base/names.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { type Change, changed, makeChange } from '../../changes/make-change.ts';
import type { OrganizationRow } from './live-organization.ts';

/** @throws AppError `invalid_input` unless the name has 1 to 255 characters. */
export async function createOrganization(db: Database, actor: Actor, name: string): Promise<OrganizationRow> {
  requireName('an organization', name);
  return makeChange(db, actor, async (change) => {
    const created = await insertOrganization(change, name);
    const { id } = created;
    return changed(created, [
      { orgId: id, action: 'create', resource: { type: 'organization', id }, before: null, after: { name } },
    ]);
  });
}

function insertOrganization(change: Change, name: string): Promise<OrganizationRow> {
  return change.one(sql.type(rowsOf<OrganizationRow>())`
    insert into organizations (name) values (${name}) returning id, name`);
}
