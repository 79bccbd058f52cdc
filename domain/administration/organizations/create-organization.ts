import { requireName } from '../../../base/names.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { type Change, makeChange } from '../../changes/make-change.ts';
import type { OrganizationRow } from './live-organization.ts';

/** @throws AppError `invalid_input` if the name does not have 1 to 255 characters. */
export async function createOrganization(db: Database, actor: Actor, name: string): Promise<OrganizationRow> {
  requireName('an organization', name);
  return makeChange(db, actor, (change) => insertOrganization(change, name));
}

function insertOrganization(change: Change, name: string): Promise<OrganizationRow> {
  return change.one(sql.type(rowsOf<OrganizationRow>())`
    insert into organizations (name) values (${name}) returning id, name`);
}
