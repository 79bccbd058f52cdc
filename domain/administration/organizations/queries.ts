import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

export interface OrganizationRow {
  id: number;
  name: string;
}

/** The organization that asks, unless it was deleted. */
export function findOwnOrganization(connection: OrganizationConnection): Promise<OrganizationRow | null> {
  return connection.maybeOne(sql.prepared('find-own-organization', rowsOf<OrganizationRow>())`
    select id, name from organizations where id = ${connection.orgId} and deleted_at is null`);
}

/** @param name 1 to 255 characters. */
export function insertOrganization(db: Connection, name: string): Promise<OrganizationRow> {
  return db.one(sql.type(rowsOf<OrganizationRow>())`
    insert into organizations (name) values (${name}) returning id, name`);
}

/** Every organization that was not deleted, oldest first. */
export function listOrganizations(db: Connection): Promise<readonly OrganizationRow[]> {
  return db.any(sql.type(rowsOf<OrganizationRow>())`
    select id, name from organizations where deleted_at is null order by id`);
}

/** Null if there is no such organization, or it is deleted already. */
export function softDeleteOrganization(db: Connection, id: number): Promise<OrganizationRow | null> {
  return db.maybeOne(sql.type(rowsOf<OrganizationRow>())`
    update organizations set deleted_at = now() where id = ${id} and deleted_at is null returning id, name`);
}
