import { AppError } from '../../../base/errors.ts';
import { heardEverywhere } from '../../../base/heard-everywhere.ts';
import { wireTime } from '../../../base/timestamps.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { type Change, type ChangeResult, changed, makeChange, unchanged } from '../../changes/make-change.ts';

/**
 * Revokes a handheld's token from the next request on, in every process.
 *
 * @returns when it was first revoked.
 * @throws AppError `not_found`.
 */
export async function revokeHandheld(
  db: Database,
  actor: Actor,
  id: number,
): Promise<{ id: number; revoked_at: string }> {
  const revoked = await revokeUnheard(db, actor, id);
  await heardEverywhere();
  return revoked;
}

/**
 * As {@link revokeHandheld}, for callers that return the connection before they await `heardEverywhere`: others need it
 * meanwhile.
 */
export async function revokeUnheard(
  db: Database,
  actor: Actor,
  id: number,
): Promise<{ id: number; revoked_at: string }> {
  const revoked = await makeChange(db, actor, (change) => revoke(change, id));
  if (revoked === null) {
    throw new AppError('not_found', `Handheld ${id} not found`);
  }
  return { id, revoked_at: wireTime(revoked.revoked_at) };
}

async function revoke(change: Change, id: number): Promise<ChangeResult<RevokedHandheld | null>> {
  const revoked = await change.maybeOne(sql.type(rowsOf<RevokedHandheld>())`
    update handhelds handheld set revoked_at = coalesce(handheld.revoked_at, now())
    from (select org_id, id, revoked_at from handhelds where id = ${id} for update) before
    where handheld.org_id = before.org_id and handheld.id = before.id
    returning handheld.org_id, handheld.revoked_at, before.revoked_at is not null as was_revoked`);
  if (revoked === null || revoked.was_revoked) {
    return unchanged(revoked);
  }
  return changed(revoked, [
    {
      orgId: revoked.org_id,
      action: 'revoke',
      resource: { type: 'handheld', id },
      before: { revoked_at: null },
      after: { revoked_at: wireTime(revoked.revoked_at) },
    },
  ]);
}

interface RevokedHandheld {
  org_id: number;
  revoked_at: string;
  was_revoked: boolean;
}
