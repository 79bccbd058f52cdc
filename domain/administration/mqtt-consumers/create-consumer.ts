import { requireName } from '../../../base/names.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { changed, makeChange } from '../../changes/make-change.ts';
import { requireRoom } from '../../changes/require-room.ts';
import { holdLiveOrganization } from '../organizations/live-organization.ts';
import { digestOfPassword, makePassword } from '../readers/registration.ts';
import { usernameOf } from './load-logins.ts';

export interface CreatedConsumer {
  id: number;
  username: string;
  /** 192 random bits. The only copy: its SHA-256 is stored. */
  password: string;
}

/**
 * Makes a login that may read what is published of an organization over MQTT, and do nothing else.
 *
 * @throws AppError `invalid_input` (name), `not_found` (organization), `conflict` (too many).
 */
export async function createConsumer(
  db: Database,
  actor: Actor,
  { orgId, name }: { orgId: number; name: string },
): Promise<CreatedConsumer> {
  requireName('a consumer', name);
  const password = makePassword();
  return makeChange(db, actor, async (change) => {
    await holdLiveOrganization(change, orgId);
    await requireRoom(change, orgId, 'consumers');
    const { id } = await change.one(sql.type(rowsOf<{ id: number }>())`
      insert into mqtt_consumers (org_id, name, password_sha256)
      values (${orgId}, ${name}, ${sql.binary(digestOfPassword(password))}) returning id`);
    return changed({ id, username: usernameOf(id), password }, [
      { orgId, action: 'create', resource: { type: 'mqtt_consumer', id }, before: null, after: { name } },
    ]);
  });
}
