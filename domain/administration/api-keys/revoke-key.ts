import { AppError } from '../../../base/errors.ts';
import { heardEverywhere } from '../../../base/heard-everywhere.ts';
import { wireTime } from '../../../base/timestamps.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { type Change, type ChangeResult, changed, makeChange, unchanged } from '../../changes/make-change.ts';
import { KEY_ID } from './key-format.ts';

/**
 * Revokes a key of any organization, from the next request on, in every process. Revoking it again keeps the
 * original time.
 *
 * @throws AppError `invalid_input` (id; not repeated in the message, since it may be a whole key),
 * `not_found`.
 */
export async function revokeKey(
  db: Database,
  actor: Actor,
  id: string,
): Promise<{ id: string; revoked_at: string }> {
  if (!KEY_ID.test(id)) {
    throw new AppError(
      'invalid_input',
      'This is not the id of a key: the 26 letters and digits between tt_ and the next _.',
    );
  }
  const revoked = await makeChange(db, actor, (change) => revokeKeyOf(change, null, id));
  if (revoked === null) {
    throw new AppError('not_found', `API key ${id} not found`);
  }
  await heardEverywhere();
  return { id, revoked_at: wireTime(revoked.revoked_at) };
}

/**
 * @param orgId null for any.
 * @returns null if the organization has no such key.
 */
export async function revokeKeyOf(
  change: Change,
  orgId: number | null,
  id: string,
): Promise<ChangeResult<RevokedKey | null>> {
  const revoked = await change.maybeOne(sql.prepared('revoke-api-key', rowsOf<RevokedKey>())`
    update api_keys api_key set revoked_at = coalesce(api_key.revoked_at, clock_timestamp())
    from (
      select id, revoked_at from api_keys
      where id = ${id} and (${orgId}::integer is null or org_id = ${orgId}::integer) for update
    ) before
    where api_key.id = before.id
    returning api_key.org_id, api_key.revoked_at, before.revoked_at is not null as was_revoked`);
  if (revoked === null || revoked.was_revoked) {
    return unchanged(revoked);
  }
  return changed(revoked, [
    {
      orgId: revoked.org_id,
      action: 'revoke',
      resource: { type: 'api_key', id },
      before: { revoked_at: null },
      after: { revoked_at: wireTime(revoked.revoked_at) },
    },
  ]);
}

interface RevokedKey {
  org_id: number;
  revoked_at: string;
  was_revoked: boolean;
}
