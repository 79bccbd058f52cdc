import { AppError } from '../../../base/errors.ts';
import { heardEverywhere } from '../../../base/heard-everywhere.ts';
import { requireName } from '../../../base/names.ts';
import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Actor } from '../../changes/actor.ts';
import { changed, makeChange, unchanged } from '../../changes/make-change.ts';
import { requireRoom } from '../../changes/require-room.ts';
import { holdLiveOrganization } from '../organizations/live-organization.ts';
import { digestOfPassword, makePassword } from '../readers/registration.ts';

export interface MqttLogin {
  orgId: number;
  id: number;
  username: string;
  passwordSha256: Buffer;
  /** Its organization moves to another cell, or has moved. */
  isLeaving: boolean;
}

export interface CreatedConsumer {
  id: number;
  username: string;
  /** 192 random bits. The only copy: its SHA-256 is stored. */
  password: string;
}

/**
 * Makes a login that may only read what is published for an organization over MQTT.
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

/**
 * Deletes a consumer's login: the embedded broker refuses it from now on, and ends its connections within a second.
 *
 * @throws AppError `not_found`.
 */
export async function deleteConsumer(
  db: Database,
  actor: Actor,
  id: number,
): Promise<{ id: number; name: string }> {
  const deleted = await makeChange(db, actor, async (change) => {
    const row = await change.maybeOne(sql.type(rowsOf<{ org_id: number; name: string }>())`
      delete from mqtt_consumers where id = ${id} returning org_id, name`);
    if (row === null) {
      return unchanged(null);
    }
    const { org_id: orgId, name } = row;
    return changed({ id, name }, [
      { orgId, action: 'delete', resource: { type: 'mqtt_consumer', id }, before: { name }, after: null },
    ]);
  });
  if (deleted === null) {
    throw new AppError('not_found', `Consumer ${id} not found`);
  }
  await heardEverywhere();
  return deleted;
}

interface ListedConsumer {
  id: number;
  name: string;
  mqtt_username: string;
  created_at: string;
  /** The last sign-in at the embedded broker, to the minute; null if never, or not since they are recorded. */
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

function usernameOf(id: number): string {
  return `consumer-${id}`;
}
