import { AppError } from '../../../base/errors.ts';
import { heardEverywhere } from '../../../base/heard-everywhere.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { type OrganizationRow, softDeleteOrganization } from './queries.ts';

/**
 * Ends an organization: from the next request on its keys, readers and handhelds are refused by every process. What
 * was recorded for it stays in the database.
 *
 * @throws AppError `not_found` if there is no such organization, or it is deleted already.
 */
export async function deleteOrganization(db: Connection, id: number): Promise<OrganizationRow> {
  const deleted = await softDeleteOrganization(db, id);
  if (deleted === null) {
    throw new AppError('not_found', `Organization ${id} not found`);
  }
  await heardEverywhere();
  return deleted;
}
