import { requireName } from '../../../base/names.ts';
import { type Instant, toDatabase, wireTimeOrNull } from '../../../base/timestamps.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { type Change, changed, makeChange } from '../../changes/make-change.ts';
import { requireRoom } from '../../changes/require-room.ts';
import { ExpiryPassed, parseExpiry } from '../expiry.ts';
import { holdLiveOrganization } from '../organizations/live-organization.ts';
import { digestOfSecret, formatToken, newSecret } from './token-format.ts';

export interface NewHandheld {
  orgId: number;
  /** 1 to 255 characters. */
  name: string;
  /** RFC 3339; without it the token does not expire. */
  expiresAt?: string | null;
}

export interface CreatedHandheld {
  id: number;
  /** The only copy: the database keeps the secret's SHA-256. */
  token: string;
}

/**
 * Registers a handheld of an organization.
 *
 * @throws AppError `invalid_input` (name or time), ExpiryPassed, `not_found` (organization), `conflict` (too many).
 */
export async function createHandheld(
  db: Database,
  actor: Actor,
  { orgId, name, expiresAt = null }: NewHandheld,
): Promise<CreatedHandheld> {
  requireName('a handheld', name);
  const expiry = parseExpiry(expiresAt);
  const secret = newSecret();
  const handheldId = await makeChange(db, actor, async (change) => {
    await holdLiveOrganization(change, orgId);
    await requireRoom(change, orgId, 'handhelds');
    const { id, expires_at } = await insertHandheld(change, { orgId, name, expiry }, digestOfSecret(secret));
    return changed(id, [
      {
        orgId,
        action: 'create',
        resource: { type: 'handheld', id },
        before: null,
        after: { name, expires_at: wireTimeOrNull(expires_at) },
      },
    ]);
  });
  return { id: handheldId, token: formatToken({ handheldId, secret }) };
}

async function insertHandheld(
  change: Change,
  { orgId, name, expiry }: { orgId: number; name: string; expiry: Instant | null },
  secretDigest: Buffer,
): Promise<{ id: number; expires_at: string | null }> {
  const row = await change.maybeOne(sql.type(rowsOf<{ id: number; expires_at: string | null }>())`
    insert into handhelds (org_id, name, token_sha256, expires_at)
    select ${orgId}, ${name}, ${sql.binary(secretDigest)}, expires_at
    from (select ${expiry === null ? null : toDatabase(expiry)}::timestamptz as expires_at) given
    where expires_at is null or expires_at > clock_timestamp()
    returning id, expires_at`);
  if (row === null) {
    throw new ExpiryPassed();
  }
  return row;
}
