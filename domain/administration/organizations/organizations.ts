import { heardEverywhere } from '../../../base/heard-everywhere.ts';
import { requireName } from '../../../base/names.ts';
import { wireTime } from '../../../base/timestamps.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Actor } from '../../changes/actor.ts';
import { type Change, changed, makeChange, unchanged } from '../../changes/make-change.ts';
import { missing, type OrganizationRow } from './live-organization.ts';

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

export function listOrganizations(db: Connection): Promise<readonly OrganizationRow[]> {
  return db.any(sql.type(rowsOf<OrganizationRow>())`
    select id, name from organizations where deleted_at is null order by id`);
}

/** True also if all of them are deleted. */
export async function hasOrganizations(db: Connection): Promise<boolean> {
  const { has_any: hasAny } = await db.one(sql.type(rowsOf<{ has_any: boolean }>())`
    select exists (select from organizations) as has_any`);
  return hasAny;
}

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

/**
 * Soft-deletes an organization: from the next request on, every process refuses its keys, readers and
 * handhelds. Its data stays in the database.
 *
 * @throws AppError `not_found` if it does not exist or is deleted already.
 */
export async function deleteOrganization(db: Database, actor: Actor, id: number): Promise<OrganizationRow> {
  const deleted = await makeChange(db, actor, async (change) => {
    const row = await softDelete(change, id);
    if (row === null) {
      return unchanged(null);
    }
    const { deleted_at: deletedAt, ...organization } = row;
    return changed(organization, [
      {
        orgId: id,
        action: 'delete',
        resource: { type: 'organization', id },
        before: { deleted_at: null },
        after: { deleted_at: wireTime(deletedAt) },
      },
    ]);
  });
  if (deleted === null) {
    throw missing(id);
  }
  await heardEverywhere();
  return deleted;
}

function softDelete(change: Change, id: number): Promise<(OrganizationRow & { deleted_at: string }) | null> {
  return change.maybeOne(sql.type(rowsOf<OrganizationRow & { deleted_at: string }>())`
    update organizations set deleted_at = now() where id = ${id} and deleted_at is null returning id, name, deleted_at`);
}
