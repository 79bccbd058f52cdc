import { AppError } from '../../../base/errors.ts';
import { heardEverywhere } from '../../../base/heard-everywhere.ts';
import { wireTime } from '../../../base/timestamps.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { type Change, makeChange } from '../../changes/make-change.ts';
import { KEY_ID } from './key-format.ts';

/**
 * Revokes a key of whatever organization, from the next request on, in every process. A key that is revoked already
 * keeps the time at which it was.
 *
 * @throws AppError `invalid_input` if the id cannot be one (it is not repeated: it may be a whole key), `not_found` if there is no such key.
 */
export async function revokeKey(
  db: Database,
  actor: Actor,
  id: string,
): Promise<{ id: string; revoked_at: string }> {
  if (!KEY_ID.test(id)) {
    throw new AppError(
      'invalid_input',
      'This is no id of a key. It is the 26 letters and digits between tt_ and the next _.',
    );
  }
  const revoked = await makeChange(db, actor, (change) => revokeKeyOf(change, null, id));
  if (revoked === null) {
    throw new AppError('not_found', `API key ${id} not found`);
  }
  await heardEverywhere();
  return { id, revoked_at: wireTime(revoked.revoked_at) };
}

/** @param orgId null for any. @returns null if the organization has no such key. */
export function revokeKeyOf(
  change: Change,
  orgId: number | null,
  id: string,
): Promise<{ revoked_at: string; was_revoked: boolean } | null> {
  return change.maybeOne(sql.prepared(
    'revoke-api-key',
    rowsOf<{ revoked_at: string; was_revoked: boolean }>(),
  )`
    update api_keys api_key set revoked_at = coalesce(api_key.revoked_at, clock_timestamp())
    from (
      select id, revoked_at from api_keys
      where id = ${id} and (${orgId}::integer is null or org_id = ${orgId}::integer) for update
    ) before
    where api_key.id = before.id
    returning api_key.revoked_at, before.revoked_at is not null as was_revoked`);
}
