import { AppError } from '../../../base/errors.ts';
import type { Client } from '../../../db/timescale/connections/client.ts';

/**
 * Finds what a setting is for, and holds it against deletion until the transaction ends.
 *
 * @returns the location's id, or null where no location is named.
 * @throws AppError `not_found` if there is no such live organization, or no such live location in it.
 */
export async function findPlace(
  client: Client,
  orgId: number,
  locationExternalKey: string | null,
): Promise<number | null> {
  const { rowCount } = await client.query(
    'select from organizations where id = $1 and deleted_at is null for key share',
    [orgId],
  );
  if (rowCount === 0) {
    throw new AppError('not_found', `Organization ${orgId} not found`);
  }
  if (locationExternalKey === null) {
    return null;
  }
  const { rows } = await client.query<{ id: number }>(
    `select id from locations where org_id = $1 and external_key = $2 and deleted_at is null for key share`,
    [orgId, locationExternalKey],
  );
  if (rows[0] === undefined) {
    throw new AppError('not_found', `Location ${locationExternalKey} not found in organization ${orgId}`);
  }
  return rows[0].id;
}
