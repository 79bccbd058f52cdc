import { AppError, notFound } from '../../../base/errors.ts';
import { requireName } from '../../../base/names.ts';
import { type Instant, toDatabase, wireTimeOrNull } from '../../../base/timestamps.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
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

/**
 * Gives a handheld another token; the one before is refused from its next request on, in every process that has heard of it.
 *
 * @throws AppError `not_found`, or `conflict` if it is revoked or its token has expired.
 */
export async function renewToken(
  db: Database,
  actor: Actor,
  { orgId, id }: { orgId: number; id: number },
): Promise<CreatedHandheld & { name: string }> {
  const secret = newSecret();
  const name = await makeChange(db, actor, async (change) => {
    const row = await change.maybeOne(sql.type(rowsOf<{ name: string; is_over: boolean }>())`
      select name, revoked_at is not null or coalesce(expires_at <= clock_timestamp(), false) as is_over
      from handhelds where org_id = ${orgId} and id = ${id} for update`);
    if (row === null) {
      throw notFound(`Handheld ${id} not found`);
    }
    if (row.is_over) {
      throw new AppError(
        'conflict',
        `Handheld ${id} is revoked or its token has expired; create another one`,
      );
    }
    await change.exec(sql.type(NO_ROWS)`
      update handhelds set token_sha256 = ${sql.binary(digestOfSecret(secret))}
      where org_id = ${orgId} and id = ${id}`);
    return changed(row.name, [
      {
        orgId,
        action: 'update',
        resource: { type: 'handheld', id },
        before: {},
        after: { token: 'renewed' },
      },
    ]);
  });
  return { id, name, token: formatToken({ handheldId: id, secret }) };
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
