import { AppError } from '../../../base/errors.ts';
import { requireName } from '../../../base/names.ts';
import type { Client, Pool } from '../../../db/timescale/connections/client.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import type { Format } from '../../formats/mapping/format.ts';
import type { Policies } from '../../formats/mapping/policies.ts';
import {
  digestOfPassword,
  lockRegistrations,
  makePassword,
  refuseTaken,
  requireFormat,
  requireTopic,
} from './registration.ts';

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
  pool: Pool,
  builtinFormats: ReadonlyMap<string, Format>,
  reader: NewReader,
): Promise<CreatedReader> {
  requireName('a reader', reader.name);
  requireTopic(reader.topic);
  const mqttPassword = makePassword();
  return inTransaction(pool, async (client) => {
    await lockRegistrations(client);
    await requireFormat(client, builtinFormats, {
      format: reader.format,
      identity: reader.policies.identity,
    });
    await requireOrganization(client, reader.orgId);
    await refuseTaken(client, { ...reader, id: null });
    const { id, mqttUsername } = await insertReader(client, reader, mqttPassword);
    return { id, name: reader.name, topic: reader.topic, mqttUsername, mqttPassword };
  });
}

async function requireOrganization(client: Client, orgId: number): Promise<void> {
  const { rowCount } = await client.query(
    'select from organizations where id = $1 and deleted_at is null for key share',
    [orgId],
  );
  if (rowCount === 0) {
    throw new AppError('not_found', `Organization ${orgId} not found`);
  }
}

async function insertReader(
  client: Client,
  { orgId, name, topic, format, policies }: NewReader,
  password: string,
): Promise<{ id: number; mqttUsername: string }> {
  const { rows } = await client.query<{ id: number; mqttUsername: string }>(
    `with numbered as (select nextval(pg_get_serial_sequence('readers', 'id'))::integer as id)
     insert into readers (org_id, id, name, topic, format, time_policy, identity_policy, report_unknown,
       mqtt_username, mqtt_password_sha256)
     overriding system value
     select $1, id, $2, $3, $4, $5, $6, $7, 'reader-' || id, $8 from numbered
     returning id, mqtt_username as "mqttUsername"`,
    [
      orgId,
      name,
      topic,
      format,
      policies.time ?? null,
      policies.identity ?? null,
      policies.reportUnknown == null ? null : policies.reportUnknown === 'on',
      digestOfPassword(password),
    ],
  );
  const [row] = rows;
  if (row === undefined) {
    throw new RangeError('no row from insert');
  }
  await client.query('insert into antennas (org_id, reader_id, port) values ($1, $2, 1)', [orgId, row.id]);
  return row;
}
