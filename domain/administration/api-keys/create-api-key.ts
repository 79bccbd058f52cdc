import { AppError } from '../../../base/errors.ts';
import { requireName } from '../../../base/names.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import type { Actor } from '../../changes/actor.ts';
import { makeChange } from '../../changes/make-change.ts';
import { parseExpiry } from '../expiry.ts';
import { holdLiveOrganization } from '../organizations/live-organization.ts';
import { issueKey } from './issue-key.ts';
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
 * @throws AppError `invalid_input` (name, scope or time), ExpiryPassed, `not_found` (organization).
 */
export async function createApiKey(
  db: Database,
  actor: Actor,
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
  const expiry = parseExpiry(expiresAt);
  const { row, key } = await makeChange(db, actor, async (change) => {
    await holdLiveOrganization(change, orgId);
    return issueKey(change, { orgId, name, scopes, expiresAt: expiry });
  });
  return { id: row.id, key };
}
