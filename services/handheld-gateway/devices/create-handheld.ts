import { createHash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { AppError } from '../../shared/errors.ts';
import { requireName } from '../../shared/names.ts';

export interface CreatedHandheld {
  id: number;
  /** `th_<id>_<secret>`, the only copy: the secret's SHA-256 is stored. 256 random bits. */
  token: string;
}

/**
 * Registers a handheld of an organization.
 *
 * @throws AppError `invalid_input` (name), `not_found` (organization).
 */
export async function createHandheld(
  pool: pg.Pool,
  { orgId, name }: { orgId: number; name: string },
): Promise<CreatedHandheld> {
  requireName('a handheld', name);
  const secret = randomBytes(32).toString('base64url');
  const { rows } = await pool.query<{ id: number }>(
    `insert into handhelds (org_id, name, token_sha256)
     select id, $2, $3 from organizations where id = $1 and deleted_at is null
     returning id`,
    [orgId, name, createHash('sha256').update(secret).digest()],
  );
  if (rows[0] === undefined) {
    throw new AppError('not_found', `Organization ${orgId} not found`);
  }
  return { id: rows[0].id, token: `th_${rows[0].id}_${secret}` };
}
