import type { CommonQueryMethods } from 'slonik';
import { AppError } from '../../shared/errors.ts';
import { insertOrganization } from './queries.ts';
import type { OrganizationRow } from './view.ts';

/** @throws AppError `invalid_input` if the name does not have 1 to 255 characters. */
export async function createOrganization(db: CommonQueryMethods, name: string): Promise<OrganizationRow> {
  const length = [...name].length;
  if (length < 1 || length > 255 || name.includes('\u0000')) {
    throw new AppError('invalid_input', 'The name of an organization has 1 to 255 characters');
  }
  return insertOrganization(db, name);
}
