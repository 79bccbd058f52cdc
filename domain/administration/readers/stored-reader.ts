import { AppError } from '../../../base/errors.ts';
import type { Client } from '../../../db/timescale/connections/client.ts';
import type { Policies } from '../../formats/mapping/policies.ts';

/** A live reader's registration. A policy that is null is the format's own. */
export interface StoredReader {
  id: number;
  orgId: number;
  name: string;
  topic: string;
  format: string;
  time: Policies['time'] | null;
  identity: Policies['identity'] | null;
  reportUnknown: Policies['reportUnknown'];
  mqttUsername: string;
}

/** As the select list of a query of `readers reader`. */
export const READER_COLUMNS = `reader.id, reader.org_id as "orgId", reader.name, reader.topic, reader.format,
  reader.time_policy as time, reader.identity_policy as identity,
  case reader.report_unknown when true then 'on' when false then 'off' end as "reportUnknown",
  reader.mqtt_username as "mqttUsername"`;

/** A live reader of a live organization, locked until the transaction ends. @throws AppError `not_found`. */
export async function lockReader(client: Client, readerId: number): Promise<StoredReader> {
  const { rows } = await client.query<StoredReader>(
    `select ${READER_COLUMNS}
     from readers reader join organizations organization on organization.id = reader.org_id
     where reader.id = $1 and reader.deleted_at is null and organization.deleted_at is null
     for no key update of reader`,
    [readerId],
  );
  if (rows[0] === undefined) {
    throw new AppError('not_found', `Reader ${readerId} not found`);
  }
  return rows[0];
}
