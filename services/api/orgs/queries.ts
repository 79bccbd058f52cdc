import { type CommonQueryMethods, sql } from 'slonik';
import { type OrganizationConnection, rowsOf } from '../../../db/timescale/organization-door.ts';
import type { OrganizationRow } from './view.ts';

/** The organization that asks, unless it was deleted. */
export function findOwnOrganization(connection: OrganizationConnection): Promise<OrganizationRow | null> {
  return connection.maybeOne(sql.prepared('find-own-organization', rowsOf<OrganizationRow>())`
    select id, name from organizations where id = ${connection.orgId} and deleted_at is null`);
}

/** @param name 1 to 255 characters. */
export function insertOrganization(db: CommonQueryMethods, name: string): Promise<OrganizationRow> {
  return db.one(sql.type(rowsOf<OrganizationRow>())`
    insert into organizations (name) values (${name}) returning id, name`);
}
