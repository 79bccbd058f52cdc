import { wireTime } from '../../../base/timestamps.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { usernameOf } from './load-logins.ts';

export interface ListedConsumer {
  id: number;
  name: string;
  mqtt_username: string;
  created_at: string;
}

export async function listConsumers(db: Connection, orgId: number): Promise<ListedConsumer[]> {
  const rows = await db.any(sql.type(rowsOf<{ id: number; name: string; created_at: string }>())`
    select id, name, created_at from mqtt_consumers where org_id = ${orgId} order by id`);
  return rows.map(({ id, name, created_at: createdAt }) => ({
    id,
    name,
    mqtt_username: usernameOf(id),
    created_at: wireTime(createdAt),
  }));
}
