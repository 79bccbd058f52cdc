import { AppError } from '../../../base/errors.ts';
import { requireName } from '../../../base/names.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { digestOf, formatToken, newSecret } from './token-format.ts';

export interface CreatedHandheld {
  id: number;
  /** The only copy: the secret's SHA-256 is stored. */
  token: string;
}

/**
 * Registers a handheld of an organization.
 *
 * @throws AppError `invalid_input` (name), `not_found` (organization).
 */
export async function createHandheld(
  pool: Pool,
  { orgId, name }: { orgId: number; name: string },
): Promise<CreatedHandheld> {
  requireName('a handheld', name);
  const secret = newSecret();
  const { rows } = await pool.query<{ id: number }>(
    `insert into handhelds (org_id, name, token_sha256)
     select id, $2, $3 from organizations where id = $1 and deleted_at is null
     returning id`,
    [orgId, name, digestOf(secret)],
  );
  if (rows[0] === undefined) {
    throw new AppError('not_found', `Organization ${orgId} not found`);
  }
  return { id: rows[0].id, token: formatToken({ handheldId: rows[0].id, secret }) };
}
