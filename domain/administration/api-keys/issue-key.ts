import { AppError } from '../../../base/errors.ts';
import { requireName } from '../../../base/names.ts';
import { type Instant, toDatabase, wireTimeOrNull } from '../../../base/timestamps.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { type Change, type ChangeResult, changed, makeChange } from '../../changes/make-change.ts';
import { requireRoom } from '../../changes/require-room.ts';
import { ExpiryPassed, parseExpiry } from '../expiry.ts';
import { holdLiveOrganization } from '../organizations/live-organization.ts';
import { digestOfSecret, formatKey, newKey } from './key-format.ts';
import { type ApiKeyRow, KEY_COLUMNS } from './list-keys.ts';
import { isScope, SCOPES } from './scopes.ts';

interface NewApiKey {
  orgId: number;
  /** 1 to 255 characters. */
  name: string;
  scopes: readonly string[];
  /** RFC 3339; null for a key that does not expire. */
  expiresAt: string | null;
}

export interface IssuedKey {
  row: ApiKeyRow;
  key: string;
}

/**
 * Issues a key of a live organization.
 *
 * @throws ExpiryPassed by the database's clock; AppError `conflict` if there are as many as may be.
 */
export async function issueKey(
  change: Change,
  {
    orgId,
    name,
    scopes,
    expiresAt,
  }: { orgId: number; name: string; scopes: readonly string[]; expiresAt: Instant | null },
): Promise<ChangeResult<IssuedKey>> {
  await requireRoom(change, orgId, 'apiKeys');
  const key = newKey();
  const issued = await change.maybeOne(sql.prepared(
    'insert-api-key',
    rowsOf<ApiKeyRow & { cell: number | null }>(),
  )`
    insert into api_keys as api_key (org_id, id, name, scopes, secret_sha256, expires_at)
    select ${orgId}, ${key.id}, ${name}, ${sql.array([...new Set(scopes)], 'text')},
      ${sql.binary(digestOfSecret(key.secret))}, expires_at
    from (select ${expiresAt === null ? null : toDatabase(expiresAt)}::timestamptz as expires_at) given
    where expires_at is null or expires_at > clock_timestamp()
    returning ${KEY_COLUMNS}, cell_number() as cell`);
  if (issued === null) {
    throw new ExpiryPassed();
  }
  const { cell, ...row } = issued;
  return changed({ row, key: formatKey(key, cell) }, [
    {
      orgId,
      action: 'create',
      resource: { type: 'api_key', id: key.id },
      before: null,
      after: { name, scopes: row.scopes, expires_at: wireTimeOrNull(row.expires_at) },
    },
  ]);
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
