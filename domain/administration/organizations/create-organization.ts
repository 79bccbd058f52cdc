import { requireName } from '../../../base/names.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { insertOrganization, type OrganizationRow } from './queries.ts';

/** @throws AppError `invalid_input` if the name does not have 1 to 255 characters. */
export async function createOrganization(db: Connection, name: string): Promise<OrganizationRow> {
  requireName('an organization', name);
  return insertOrganization(db, name);
}
