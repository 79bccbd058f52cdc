import type { CommonQueryMethods } from 'slonik';
import { AppError } from '../../../base/errors.ts';
import { type ApiKeyView, apiKeyView } from '../api-keys/view.ts';
import { findKeysOf } from './queries.ts';

/**
 * Every key of an organization in the order they were issued in, without secrets.
 *
 * @throws AppError `not_found` if there is no such organization; one that is deleted still shows its keys.
 */
export async function listKeys(db: CommonQueryMethods, orgId: number): Promise<ApiKeyView[]> {
  const rows = await findKeysOf(db, orgId);
  if (rows === null) {
    throw new AppError('not_found', `Organization ${orgId} not found`);
  }
  return rows.map(apiKeyView);
}
