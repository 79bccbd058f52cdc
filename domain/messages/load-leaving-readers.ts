import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';

/** Of readers whose organization moves to another cell, or has moved: digests of their passwords, by user name. */
export async function loadLeavingReaders(db: Connection): Promise<ReadonlyMap<string, Buffer>> {
  const rows = await db.any(sql.prepared(
    'load-leaving-readers',
    rowsOf<{ mqtt_username: string; mqtt_password_sha256: Buffer }>(),
  )`
    select reader.mqtt_username, reader.mqtt_password_sha256
    from organizations organization
    join readers reader on reader.org_id = organization.id and reader.deleted_at is null
    where organization.held_at is not null`);
  return new Map(rows.map((row) => [row.mqtt_username, row.mqtt_password_sha256]));
}
