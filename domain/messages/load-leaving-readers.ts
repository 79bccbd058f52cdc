import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';

/** User names of readers whose organization moves to another cell, or has moved. */
export async function loadLeavingReaders(db: Connection): Promise<ReadonlySet<string>> {
  const rows = await db.any(sql.prepared('load-leaving-readers', rowsOf<{ mqtt_username: string }>())`
    select reader.mqtt_username
    from organizations organization
    join readers reader on reader.org_id = organization.id and reader.deleted_at is null
    where organization.held_at is not null`);
  return new Set(rows.map((row) => row.mqtt_username));
}
