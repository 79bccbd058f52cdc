import type { CommonQueryMethods } from 'slonik';
import { requireName } from '../../../base/names.ts';
import { insertOrganization, type OrganizationRow } from './queries.ts';

/** @throws AppError `invalid_input` if the name does not have 1 to 255 characters. */
export async function createOrganization(db: CommonQueryMethods, name: string): Promise<OrganizationRow> {
  requireName('an organization', name);
  return insertOrganization(db, name);
}
