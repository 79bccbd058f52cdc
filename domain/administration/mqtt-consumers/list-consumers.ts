import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { usernameOf } from './load-logins.ts';

export interface ListedConsumer {
  id: number;
  name: string;
  mqtt_username: string;
  created_at: string;
  /** When it last signed in at the embedded broker, to the minute; null if never, or not since it is noted. */
  last_used_at: string | null;
}

export async function listConsumers(db: Connection, orgId: number): Promise<ListedConsumer[]> {
  const rows = await db.any(sql.type(rowsOf<Omit<ListedConsumer, 'mqtt_username'>>())`
    select id, name, created_at, last_used_at from mqtt_consumers where org_id = ${orgId} order by id`);
  return rows.map(({ id, name, created_at: createdAt, last_used_at: lastUsedAt }) => ({
    id,
    name,
    mqtt_username: usernameOf(id),
    created_at: wireTime(createdAt),
    last_used_at: wireTimeOrNull(lastUsedAt),
  }));
}
