import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

export interface MqttLogin {
  orgId: number;
  id: number;
  username: string;
  passwordSha256: Buffer;
  /** Its organization moves to another cell, or has moved. */
  isLeaving: boolean;
}

export async function loadLogins(db: Connection): Promise<MqttLogin[]> {
  const rows = await db.any(sql.prepared(
    'load-mqtt-logins',
    rowsOf<{ org_id: number; id: number; password_sha256: Buffer; is_leaving: boolean }>(),
  )`
    select consumer.org_id, consumer.id, consumer.password_sha256, organization.held_at is not null as is_leaving
    from mqtt_consumers consumer
    join organizations organization on organization.id = consumer.org_id
      and (organization.deleted_at is null or organization.held_at is not null)`);
  return rows.map((row) => ({
    orgId: row.org_id,
    id: row.id,
    username: usernameOf(row.id),
    passwordSha256: row.password_sha256,
    isLeaving: row.is_leaving,
  }));
}

export function usernameOf(id: number): string {
  return `consumer-${id}`;
}
