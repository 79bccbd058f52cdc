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
import { lockReader, type StoredReader } from './stored-reader.ts';

/** What is to change of a reader; what is left out stays as it is. Null makes a policy the format's own again. */
export interface ReaderChange {
  name?: string;
  topic?: string;
  format?: string;
  time?: Policies['time'] | null;
  identity?: Policies['identity'] | null;
  reportUnknown?: Policies['reportUnknown'];
  /** Makes a new password; the old one is of no use from then on. */
  hasNewPassword?: boolean;
}

export interface SetReader extends StoredReader {
  /** Null if the password stays as it is. The only copy. */
  mqttPassword: string | null;
}

/**
 * Changes the registration of a live reader; running processes follow when it is committed. The checks are those of a
 * new reader.
 *
 * @throws AppError `invalid_input` (what cannot be), `not_found` (reader), `conflict` (name or topic taken).
 */
export async function setReader(
  pool: Pool,
  builtinFormats: ReadonlyMap<string, Format>,
  readerId: number,
  change: ReaderChange,
): Promise<SetReader> {
  if (change.name !== undefined) {
    requireName('a reader', change.name);
  }
  if (change.topic !== undefined) {
    requireTopic(change.topic);
  }
  return inTransaction(pool, async (client) => {
    await lockRegistrations(client);
    const before = await lockReader(client, readerId);
    const { hasNewPassword, ...changes } = change;
    const reader: StoredReader = { ...before, ...changes };
    if (change.name !== undefined || change.topic !== undefined) {
      await refuseTaken(client, reader);
    }
    if (change.format !== undefined || change.identity != null) {
      await requireFormat(client, builtinFormats, {
        format: reader.format,
        identity: reader.identity ?? undefined,
      });
    }
    const mqttPassword = hasNewPassword === true ? makePassword() : null;
    await update(client, reader, mqttPassword);
    return { ...reader, mqttPassword };
  });
}

async function update(client: Client, reader: StoredReader, password: string | null): Promise<void> {
  await client.query(
    `update readers set name = $3, topic = $4, format = $5, time_policy = $6, identity_policy = $7,
       report_unknown = $8, mqtt_password_sha256 = coalesce($9, mqtt_password_sha256)
     where org_id = $1 and id = $2`,
    [
      reader.orgId,
      reader.id,
      reader.name,
      reader.topic,
      reader.format,
      reader.time,
      reader.identity,
      reader.reportUnknown === null ? null : reader.reportUnknown === 'on',
      password === null ? null : digestOfPassword(password),
    ],
  );
}
