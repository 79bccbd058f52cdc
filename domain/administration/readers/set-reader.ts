import { requireName } from '../../../base/names.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { NO_ROWS, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { differences } from '../../changes/entry.ts';
import { type Change, changed, makeChange, unchanged } from '../../changes/make-change.ts';
import type { Format } from '../../formats/mapping/format.ts';
import type { Policies } from '../../formats/mapping/policies.ts';
import { setExpectation } from '../../presence/stored-expectations.ts';
import { lockRegistrations } from '../lock-registrations.ts';
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
import { lockReader, readerFields, type StoredReader, storedReportUnknown } from './stored-reader.ts';

/** Fields left out stay as they are. Null resets a policy to the format's own. */
export interface ReaderChange {
  name?: string;
  topic?: string;
  format?: string;
  time?: Policies['time'] | null;
  identity?: Policies['identity'] | null;
  reportUnknown?: Policies['reportUnknown'];
  /** Seconds; null to learn it. */
  expectSeconds?: number | null;
  hasNewPassword?: boolean;
}

export interface SetReader extends StoredReader {
  /** The only copy; null if the password stays as it is. */
  mqttPassword: string | null;
  /** It has another topic than before. */
  isElsewhere: boolean;
}

/**
 * Updates a live reader's registration; running processes follow after the commit. Same checks as for a new
 * reader.
 *
 * @throws AppError `invalid_input`, `not_found` (reader), `conflict` (name or topic taken, expectation set too often).
 */
export async function setReader(
  db: Database,
  actor: Actor,
  builtinFormats: ReadonlyMap<string, Format>,
  readerId: number,
  wanted: ReaderChange,
  configured: PublishedAt | null = null,
): Promise<SetReader> {
  if (wanted.name !== undefined) {
    requireName('a reader', wanted.name);
  }
  if (wanted.topic !== undefined) {
    requireTopic(wanted.topic);
  }
  requireExpectation(wanted.expectSeconds ?? null);
  return makeChange(db, actor, async (change) => {
    await lockRegistrations(change);
    const before = await lockReader(change, readerId);
    const { hasNewPassword, ...changes } = wanted;
    const reader: StoredReader = { ...before, ...changes };
    if (reader.topic !== before.topic) {
      await requireOwnTopic(change, reader.orgId, reader.topic);
    }
    if (wanted.name !== undefined) {
      await refuseTakenName(change, reader);
    }
    if (wanted.topic !== undefined) {
      await refuseTakenTopic(change, reader);
      await refusePublished(change, wanted.topic, configured);
    }
    if (wanted.format !== undefined || wanted.identity != null) {
      await requireFormat(change, builtinFormats, {
        orgId: reader.orgId,
        format: reader.format,
        identity: reader.identity ?? undefined,
      });
    }
    const mqttPassword = hasNewPassword === true ? makePassword() : null;
    await update(change, reader, mqttPassword);
    if (reader.expectSeconds !== before.expectSeconds) {
      await setExpectation(change, { orgId: reader.orgId, readerId }, reader.expectSeconds);
    }
    const result = { ...reader, mqttPassword, isElsewhere: reader.topic !== before.topic };
    const differing = differences(
      { ...readerFields(before), has_new_password: false },
      { ...readerFields(reader), has_new_password: mqttPassword !== null },
    );
    if (differing === null) {
      return unchanged(result);
    }
    const { orgId } = reader;
    return changed(result, [
      { orgId, action: 'update', resource: { type: 'reader', id: readerId }, ...differing },
    ]);
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
