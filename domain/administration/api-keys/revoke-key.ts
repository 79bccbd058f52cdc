import { AppError } from '../../../base/errors.ts';
import { heardEverywhere } from '../../../base/heard-everywhere.ts';
import { wireTime } from '../../../base/timestamps.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { KEY_ID } from './key-format.ts';
import { revokeKeyById } from './queries.ts';

/**
 * Revokes a key of whatever organization, from the next request on, in every process. A key that is revoked already
 * keeps the time at which it was.
 *
 * @throws AppError `invalid_input` if the id cannot be one (it is not repeated: it may be a whole key), `not_found` if there is no such key.
 */
export async function revokeKey(db: Connection, id: string): Promise<{ id: string; revoked_at: string }> {
  if (!KEY_ID.test(id)) {
    throw new AppError(
      'invalid_input',
      'This is no id of a key. It is the 26 letters and digits between tt_ and the next _.',
    );
  }
  const revoked = await revokeKeyById(db, id);
  if (revoked === null) {
    throw new AppError('not_found', `API key ${id} not found`);
  }
  await heardEverywhere();
  return { id, revoked_at: wireTime(revoked.revoked_at) };
}
