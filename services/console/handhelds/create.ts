import { invalid, invalidValue } from '../../../base/checks/issues.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { ExpiryPassed } from '../../../domain/administration/expiry.ts';
import {
  type CreatedHandheld,
  createHandheld,
} from '../../../domain/administration/handhelds/create-handheld.ts';
import type { Actor } from '../../../domain/changes/actor.ts';
import type { NewHandheld } from './schema.ts';

/**
 * Registers a handheld.
 *
 * @throws Invalid for an expiry that is not in the future.
 */
export async function createChecked(
  db: Database,
  actor: Actor,
  { orgId, name, expires_at: expiresAt = null }: NewHandheld & { orgId: number },
): Promise<CreatedHandheld> {
  try {
    return await createHandheld(db, actor, { orgId, name, expiresAt });
  } catch (error) {
    throw error instanceof ExpiryPassed
      ? invalid([invalidValue('expires_at', 'must be in the future')])
      : error;
  }
}
