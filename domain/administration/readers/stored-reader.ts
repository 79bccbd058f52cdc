import { AppError } from '../../../base/errors.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Policies } from '../../formats/mapping/policies.ts';
import { SET_EXPECTATION } from '../../presence/stored-expectations.ts';
import { LIVE_READERS } from '../live-readers.ts';

/** A live reader's registration. A null policy means the format's own. */
export interface StoredReader {
  id: number;
  orgId: number;
  name: string;
  topic: string;
  format: string;
  time: Policies['time'] | null;
  identity: Policies['identity'] | null;
  reportUnknown: Policies['reportUnknown'];
  /** The longest silence allowed, as set; null to learn it. */
  expectSeconds: number | null;
  mqttUsername: string;
}

export interface ReaderRow {
  id: number;
  org_id: number;
  name: string;
  topic: string;
  format: string;
  time_policy: StoredReader['time'];
  identity_policy: StoredReader['identity'];
  report_unknown: boolean | null;
  expect_seconds: number | null;
  mqtt_username: string;
}

export const READER_COLUMNS = sql.fragment`reader.id, reader.org_id, reader.name, reader.topic, reader.format,
  reader.time_policy, reader.identity_policy, reader.report_unknown, reader.mqtt_username,
  ${SET_EXPECTATION} as expect_seconds`;

export function toReader(row: ReaderRow): StoredReader {
  return {
    id: row.id,
    orgId: row.org_id,
    name: row.name,
    topic: row.topic,
    format: row.format,
    time: row.time_policy,
    identity: row.identity_policy,
    reportUnknown: row.report_unknown === null ? null : row.report_unknown ? 'on' : 'off',
    expectSeconds: row.expect_seconds,
    mqttUsername: row.mqtt_username,
  };
}

/** A registration as the change log has it: as commands show it, without its credentials. */
export function readerFields({
  name,
  topic,
  format,
  time,
  identity,
  reportUnknown,
  expectSeconds,
}: Omit<StoredReader, 'id' | 'orgId' | 'mqttUsername'>) {
  return {
    ...{ name, topic, format, time, identity },
    report_unknown: reportUnknown,
    expect_seconds: expectSeconds,
  };
}

/** Database form of a policy; undefined leaves it to the format. */
export function storedReportUnknown(policy: Policies['reportUnknown'] | undefined): boolean | null {
  return policy == null ? null : policy === 'on';
}

/** Locks a live reader of a live organization until the transaction ends. @throws AppError `not_found`. */
export async function lockReader(transaction: Connection, readerId: number): Promise<StoredReader> {
  const row = await transaction.maybeOne(sql.type(rowsOf<ReaderRow>())`
    select ${READER_COLUMNS} from ${LIVE_READERS} where reader.id = ${readerId} for no key update of reader`);
  if (row === null) {
    throw new AppError('not_found', `Reader ${readerId} not found`);
  }
  return toReader(row);
}
