import { AppError } from '../../../base/errors.ts';
import { heardEverywhere } from '../../../base/heard-everywhere.ts';
import { wireTime } from '../../../base/timestamps.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';

/**
 * Ends a handheld's token from the next request on, in every process. Revoked again, it stays as it is.
 *
 * @returns when it was revoked first.
 * @throws AppError `not_found`.
 */
export async function revokeHandheld(pool: Pool, id: number): Promise<{ id: number; revoked_at: string }> {
  const { rows } = await pool.query<{ id: number; revoked_at: string }>(
    'update handhelds set revoked_at = coalesce(revoked_at, now()) where id = $1 returning id, revoked_at',
    [id],
  );
  const [row] = rows;
  if (row === undefined) {
    throw new AppError('not_found', `Handheld ${id} not found`);
  }
  await heardEverywhere();
  return { id: row.id, revoked_at: wireTime(row.revoked_at) };
}
