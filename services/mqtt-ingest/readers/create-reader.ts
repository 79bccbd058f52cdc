import { createHash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { inTransaction } from '../../../db/timescale/transaction.ts';
import { AppError } from '../../shared/errors.ts';
import { requireName } from '../../shared/names.ts';
import type { Format } from '../mapping/format.ts';
import type { Policies } from '../mapping/policies.ts';
import { loadFormats } from '../registry/load-formats.ts';
import { faultOfTopicFilter, topicsOverlap } from '../registry/topic.ts';

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
  pool: pg.Pool,
  builtinFormats: ReadonlyMap<string, Format>,
  reader: NewReader,
): Promise<CreatedReader> {
  const formats = await loadFormats(pool, builtinFormats, () => {});
  refuseUnusable(reader, formats);
  const mqttPassword = randomBytes(24).toString('base64url');
  return inTransaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [REGISTRATION_LOCK]);
    await requireOrganization(client, reader.orgId);
    await refuseTaken(client, reader);
    const { id, mqttUsername } = await insertReader(client, reader, mqttPassword);
    return { id, name: reader.name, topic: reader.topic, mqttUsername, mqttPassword };
  });
}

/** Any number of its own; taken by whatever gives a reader a topic. */
export const REGISTRATION_LOCK = 7_461_727;

function refuseUnusable(
  { name, topic, format, policies }: NewReader,
  formats: ReadonlyMap<string, Format>,
): void {
  requireName('a reader', name);
  const fault = faultOfTopicFilter(topic);
  if (fault !== null) {
    throw new AppError('invalid_input', `Topic "${topic}" ${fault}`);
  }
  const known = formats.get(format);
  if (known === undefined) {
    throw new AppError(
      'invalid_input',
      `There is no format ${format}; there are ${[...formats.keys()].join(', ')}`,
    );
  }
  if (policies.identity !== undefined && !known.identities.includes(policies.identity)) {
    const possible = known.identities.join(', ');
    throw new AppError(
      'invalid_input',
      `Format ${format} does not know the identity ${policies.identity}; it knows ${possible}`,
    );
  }
}

async function requireOrganization(client: pg.ClientBase, orgId: number): Promise<void> {
  const { rowCount } = await client.query(
    'select from organizations where id = $1 and deleted_at is null for key share',
    [orgId],
  );
  if (rowCount === 0) {
    throw new AppError('not_found', `Organization ${orgId} not found`);
  }
}

async function refuseTaken(client: pg.ClientBase, { orgId, name, topic }: NewReader): Promise<void> {
  const { rows } = await client.query<{ org_id: number; id: number; name: string; topic: string }>(
    `select reader.org_id, reader.id, reader.name, reader.topic
     from readers reader join organizations organization on organization.id = reader.org_id
     where reader.deleted_at is null and organization.deleted_at is null`,
  );
  if (rows.some((other) => other.org_id === orgId && other.name === name)) {
    throw new AppError('conflict', `Reader ${name} already exists in organization ${orgId}`);
  }
  const other = rows.find((each) => topicsOverlap(each.topic, topic));
  if (other !== undefined) {
    throw new AppError(
      'conflict',
      `Topic ${topic} overlaps with ${other.topic} of reader ${other.id} (${other.name}) of organization ${other.org_id}`,
    );
  }
}

async function insertReader(
  client: pg.ClientBase,
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
      createHash('sha256').update(password).digest(),
    ],
  );
  const [row] = rows;
  if (row === undefined) {
    throw new RangeError('no row from insert');
  }
  await client.query('insert into antennas (org_id, reader_id, port) values ($1, $2, 1)', [orgId, row.id]);
  return row;
}
