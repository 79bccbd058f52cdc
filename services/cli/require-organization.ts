import { AppError } from '../../base/errors.ts';
import type { Pool } from '../../db/timescale/connections/client.ts';

/** So that a mistaken id is not answered with an empty list. @throws AppError `not_found`. */
export async function requireOrganization(pool: Pool, orgId: number): Promise<void> {
  const { rowCount } = await pool.query('select from organizations where id = $1 and deleted_at is null', [
    orgId,
  ]);
  if (rowCount === 0) {
    throw new AppError('not_found', `Organization ${orgId} not found`);
  }
}
