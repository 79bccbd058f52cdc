import { invalid } from '../../../base/checks/invalid.ts';
import { invalidValue } from '../../../base/checks/issues.ts';
import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { digestOf, formatKey, newKey } from '../../../domain/administration/api-keys/key-format.ts';
import { issuedApiKeyView } from '../../../domain/administration/api-keys/view.ts';
import { insertApiKey } from './queries.ts';
import type { NewApiKey } from './schema.ts';

/**
 * Issues a key of the organization. A key that could never be used is a mistake, of a time zone perhaps.
 *
 * @throws Invalid for an expiry that is not in the future.
 */
export async function issueApiKey(
  connection: OrganizationConnection,
  { name, scopes = [], expires_at = null }: NewApiKey,
) {
  const key = newKey();
  const row = await insertApiKey(connection, {
    id: key.id,
    name,
    scopes: [...new Set(scopes)],
    secretDigest: digestOf(key.secret),
    expiresAt: expires_at,
  });
  if (row === null) {
    throw invalid([invalidValue('expires_at', 'must be in the future')]);
  }
  return issuedApiKeyView(row, formatKey(key));
}
