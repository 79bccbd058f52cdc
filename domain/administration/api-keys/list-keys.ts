import { AppError } from '../../../base/errors.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { findKeysOf } from './queries.ts';
import { type ApiKeyView, apiKeyView } from './view.ts';

/**
 * Every key of an organization in the order they were issued in, without secrets.
 *
 * @throws AppError `not_found` if there is no such organization; one that is deleted still shows its keys.
 */
export async function listKeys(db: Connection, orgId: number): Promise<ApiKeyView[]> {
  const rows = await findKeysOf(db, orgId);
  if (rows === null) {
    throw new AppError('not_found', `Organization ${orgId} not found`);
  }
  return rows.map(apiKeyView);
}
