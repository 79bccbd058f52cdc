import { requireName } from '../../../base/names.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { type Change, changed, makeChange } from '../../changes/make-change.ts';
import type { Format } from '../../formats/mapping/format.ts';
import type { Policies } from '../../formats/mapping/policies.ts';
import { setExpectation } from '../../presence/stored-expectations.ts';
import { lockRegistrations } from '../lock-registrations.ts';
import { holdLiveOrganization } from '../organizations/live-organization.ts';
import { type PublishedAt, refusePublished } from './published-topics.ts';
import {
  digestOfPassword,
  makePassword,
  refuseTakenName,
  refuseTakenTopic,
  requireExpectation,
  requireFormat,
  requireOwnTopic,
  requireTopic,
} from './registration.ts';
import { requireRoomForReader } from './require-room.ts';
import { antennaId, NEW_ANTENNA } from './set-antenna.ts';
import { readerFields, storedReportUnknown } from './stored-reader.ts';

export interface NewReader {
  orgId: number;
  /** 1 to 255 characters, unique among the organization's live readers. */
  name: string;
  topic: string;
  format: string;
  policies: Partial<Policies>;
  /** Seconds for which it may say nothing; otherwise that is learned. */
  expectSeconds?: number | null;
}

export interface CreatedReader {
  id: number;
  name: string;
  topic: string;
  mqttUsername: string;
  /** 192 random bits. The only copy: its SHA-256 is stored. */
  mqttPassword: string;
}

/**
 * Registers a reader, including its antenna 1. Of two concurrent registrations of overlapping topics one is refused.
 *
 * @param configured where this environment publishes moves, in addition to where they are published: a reader's
 * topic overlaps neither.
 * @throws AppError `invalid_input`, `not_found` (organization), `conflict` (name or topic taken, too many).
 */
export async function createReader(
  db: Database,
  actor: Actor,
  builtinFormats: ReadonlyMap<string, Format>,
  reader: NewReader,
  configured: PublishedAt | null = null,
): Promise<CreatedReader> {
  requireName('a reader', reader.name);
  requireTopic(reader.topic);
  const expectSeconds = reader.expectSeconds ?? null;
  requireExpectation(expectSeconds);
  const mqttPassword = makePassword();
  return makeChange(db, actor, async (change) => {
    await lockRegistrations(change);
    await requireFormat(change, builtinFormats, {
      orgId: reader.orgId,
      format: reader.format,
      identity: reader.policies.identity,
    });
    await holdLiveOrganization(change, reader.orgId);
    await requireRoomForReader(change, reader.orgId);
    await requireOwnTopic(change, reader.orgId, reader.topic);
    await refuseTakenName(change, { ...reader, id: null });
    await refuseTakenTopic(change, { ...reader, id: null });
    await refusePublished(change, reader.topic, configured);
    const { id, mqtt_username: mqttUsername } = await insertReader(change, reader, mqttPassword);
    if (expectSeconds !== null) {
      await setExpectation(change, { orgId: reader.orgId, readerId: id }, expectSeconds);
    }
    const { orgId, name, topic, format, policies } = reader;
    return changed({ id, name, topic, mqttUsername, mqttPassword }, [
      {
        orgId,
        action: 'create',
        resource: { type: 'reader', id },
        before: null,
        after: readerFields({
          name,
          topic,
          format,
          time: policies.time ?? null,
          identity: policies.identity ?? null,
          reportUnknown: policies.reportUnknown ?? null,
          expectSeconds,
        }),
      },
      {
        orgId,
        action: 'create',
        resource: { type: 'antenna', id: antennaId(id, 1) },
        before: null,
        after: NEW_ANTENNA,
      },
    ]);
  });
}

async function insertReader(
  change: Change,
  { orgId, name, topic, format, policies }: NewReader,
  password: string,
): Promise<{ id: number; mqtt_username: string }> {
  const reader = await change.one(sql.type(rowsOf<{ id: number; mqtt_username: string }>())`
    with numbered as (select nextval(pg_get_serial_sequence('readers', 'id'))::integer as id)
    insert into readers (org_id, id, name, topic, format, time_policy, identity_policy, report_unknown,
      mqtt_username, mqtt_password_sha256)
    overriding system value
    select ${orgId}, id, ${name}, ${topic}, ${format}, ${policies.time ?? null}, ${policies.identity ?? null},
      ${storedReportUnknown(policies.reportUnknown)}, 'reader-' || id, ${sql.binary(digestOfPassword(password))}
    from numbered
    returning id, mqtt_username`);
  await change.exec(sql.type(NO_ROWS)`
    insert into antennas (org_id, reader_id, port) values (${orgId}, ${reader.id}, 1)`);
  return reader;
}
