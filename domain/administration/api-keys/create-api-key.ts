import { AppError } from '../../../base/errors.ts';
import { requireName } from '../../../base/names.ts';
import { parseTimestamp, toDatabase } from '../../../base/timestamps.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { digestOf, formatKey, newKey } from './key-format.ts';
import { insertKey } from './queries.ts';
import { isScope, SCOPES } from './scopes.ts';

export interface NewApiKey {
  orgId: number;
  /** 1 to 255 characters. */
  name: string;
  scopes: readonly string[];
  /** RFC 3339; null for a key that does not expire. */
  expiresAt: string | null;
}

/**
 * Issues an API key. `key` is the only copy of its secret.
 *
 * @throws AppError `invalid_input` for a name, scope or time that cannot be, `not_found` if there is no such
 * organization.
 */
export async function createApiKey(
  db: Connection,
  { orgId, name, scopes, expiresAt }: NewApiKey,
): Promise<{ id: string; key: string }> {
  requireName('a key', name);
  const unknown = scopes.filter((scope) => !isScope(scope));
  if (unknown.length > 0) {
    throw new AppError(
      'invalid_input',
      `Unknown scope ${unknown.join(', ')}; there are ${SCOPES.join(', ')}`,
    );
  }
  const expiry = expiresAt === null ? null : parseTimestamp(expiresAt);
  if (expiresAt !== null && expiry === null) {
    throw new AppError('invalid_input', `"${expiresAt}" is not an RFC 3339 timestamp`);
  }
  const key = newKey();
  const isInserted = await insertKey(db, {
    orgId,
    id: key.id,
    name,
    scopes: [...new Set(scopes)],
    secretDigest: digestOf(key.secret),
    expiresAt: expiry === null ? null : toDatabase(expiry),
  });
  if (!isInserted) {
    throw new AppError('not_found', `Organization ${orgId} not found`);
  }
  return { id: key.id, key: formatKey(key) };
}
