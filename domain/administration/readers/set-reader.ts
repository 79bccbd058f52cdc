import { requireName } from '../../../base/names.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { NO_ROWS, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { type Change, makeChange } from '../../changes/make-change.ts';
import type { Format } from '../../formats/mapping/format.ts';
import type { Policies } from '../../formats/mapping/policies.ts';
import { lockRegistrations } from '../lock-registrations.ts';
import { digestOfPassword, makePassword, refuseTaken, requireFormat, requireTopic } from './registration.ts';
import { lockReader, type StoredReader, storedReportUnknown } from './stored-reader.ts';

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
  db: Database,
  actor: Actor,
  builtinFormats: ReadonlyMap<string, Format>,
  readerId: number,
  wanted: ReaderChange,
): Promise<SetReader> {
  if (wanted.name !== undefined) {
    requireName('a reader', wanted.name);
  }
  if (wanted.topic !== undefined) {
    requireTopic(wanted.topic);
  }
  return makeChange(db, actor, async (change) => {
    await lockRegistrations(change);
    const before = await lockReader(change, readerId);
    const { hasNewPassword, ...changes } = wanted;
    const reader: StoredReader = { ...before, ...changes };
    if (wanted.name !== undefined || wanted.topic !== undefined) {
      await refuseTaken(change, reader);
    }
    if (wanted.format !== undefined || wanted.identity != null) {
      await requireFormat(change, builtinFormats, {
        format: reader.format,
        identity: reader.identity ?? undefined,
      });
    }
    const mqttPassword = hasNewPassword === true ? makePassword() : null;
    await update(change, reader, mqttPassword);
    return { ...reader, mqttPassword };
  });
}

async function update(change: Change, reader: StoredReader, password: string | null): Promise<void> {
  const digest = password === null ? null : sql.binary(digestOfPassword(password));
  await change.exec(sql.type(NO_ROWS)`
    update readers set name = ${reader.name}, topic = ${reader.topic}, format = ${reader.format},
      time_policy = ${reader.time}, identity_policy = ${reader.identity},
      report_unknown = ${storedReportUnknown(reader.reportUnknown)},
      mqtt_password_sha256 = coalesce(${digest}::bytea, mqtt_password_sha256)
    where org_id = ${reader.orgId} and id = ${reader.id}`);
}
