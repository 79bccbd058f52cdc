import { requireName } from '../../../base/names.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { type Change, makeChange } from '../../changes/make-change.ts';
import type { Format } from '../../formats/mapping/format.ts';
import type { Policies } from '../../formats/mapping/policies.ts';
import { lockRegistrations } from '../lock-registrations.ts';
import { holdLiveOrganization } from '../organizations/live-organization.ts';
import { digestOfPassword, makePassword, refuseTaken, requireFormat, requireTopic } from './registration.ts';
import { storedReportUnknown } from './stored-reader.ts';

export interface NewReader {
  orgId: number;
  /** 1 to 255 characters, unique among the organization's live readers. */
  name: string;
  /** A topic or topic filter that overlaps with no other live reader's. */
  topic: string;
  format: string;
  /** What is to differ from the format's own. */
  policies: Partial<Policies>;
}

export interface CreatedReader {
  id: number;
  name: string;
  topic: string;
  mqttUsername: string;
  /** The only copy: its SHA-256 is stored. 192 random bits. */
  mqttPassword: string;
}

/**
 * Registers a reader; its antenna 1 exists at once. Of two registrations of overlapping topics at the same time one
 * is refused.
 *
 * @throws AppError `invalid_input` (what cannot be), `not_found` (organization), `conflict` (name or topic taken).
 */
export async function createReader(
  db: Database,
  actor: Actor,
  builtinFormats: ReadonlyMap<string, Format>,
  reader: NewReader,
): Promise<CreatedReader> {
  requireName('a reader', reader.name);
  requireTopic(reader.topic);
  const mqttPassword = makePassword();
  return makeChange(db, actor, async (change) => {
    await lockRegistrations(change);
    await requireFormat(change, builtinFormats, {
      format: reader.format,
      identity: reader.policies.identity,
    });
    await holdLiveOrganization(change, reader.orgId);
    await refuseTaken(change, { ...reader, id: null });
    const { id, mqtt_username: mqttUsername } = await insertReader(change, reader, mqttPassword);
    return { id, name: reader.name, topic: reader.topic, mqttUsername, mqttPassword };
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
