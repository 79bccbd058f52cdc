import { AppError } from '../../../base/errors.ts';
import { heardEverywhere } from '../../../base/heard-everywhere.ts';
import { wireTime } from '../../../base/timestamps.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { type Change, makeChange } from '../../changes/make-change.ts';

/**
 * Ends a handheld's token from the next request on, in every process. Revoked again, it stays as it is.
 *
 * @returns when it was revoked first.
 * @throws AppError `not_found`.
 */
export async function revokeHandheld(
  db: Database,
  actor: Actor,
  id: number,
): Promise<{ id: number; revoked_at: string }> {
  const revoked = await makeChange(db, actor, (change) => revoke(change, id));
  if (revoked === null) {
    throw new AppError('not_found', `Handheld ${id} not found`);
  }
  await heardEverywhere();
  return { id, revoked_at: wireTime(revoked.revoked_at) };
}

function revoke(change: Change, id: number): Promise<{ revoked_at: string } | null> {
  return change.maybeOne(sql.type(rowsOf<{ revoked_at: string }>())`
    update handhelds set revoked_at = coalesce(revoked_at, now()) where id = ${id} returning revoked_at`);
}
