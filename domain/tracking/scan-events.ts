import type { Client } from '../../db/timescale/connections/client.ts';
import { isUniqueViolation } from '../../db/timescale/connections/transaction.ts';
import type { BinaryValues } from '../../db/timescale/queries/array-parameters.ts';
import {
  doubles,
  integers,
  smallints,
  texts,
  timestamps,
} from '../../db/timescale/queries/array-parameters.ts';
import { type CopyTarget, copyRows } from '../../db/timescale/queries/copy-rows.ts';
import { NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { LocatedScan } from './located-scan.ts';

/**
 * Writes raw scans by COPY, at 5 us a row. `insert ... on conflict do nothing` took 8.7 us, half of what recording took
 * of the database.
 *
 * @returns false if a scan was stored already: then none is written, and the transaction has failed.
 */
export async function insertScanEvents(client: Client, located: readonly LocatedScan[]): Promise<boolean> {
  if (located.length === 0) {
    return true;
  }
  try {
    await copyRows(client, SCAN_EVENTS, located, writeScanEvent);
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) {
      return false;
    }
    throw error;
  }
}

const SCAN_EVENTS: CopyTarget = {
  table: 'scan_events',
  columns: [
    'org_id',
    'asset_id',
    'location_id',
    'observed_at',
    'received_at',
    'time_is_received',
    'tag_type',
    'tag_value',
    'rssi',
    'reader_id',
    'antenna',
    'handheld_id',
    'submission_id',
    'submission_index',
  ],
};

function writeScanEvent(into: BinaryValues, located: LocatedScan): void {
  const { orgId, assetId, locationId, observedAt, timeIsReceived, tagValue, scan } = located;
  const { receivedAt, tagType, rssi, source } = scan;
  into.integer(orgId);
  into.integer(assetId);
  into.integer(locationId);
  into.timestamp(observedAt);
  into.timestamp(receivedAt);
  into.boolean(timeIsReceived);
  into.text(tagType);
  into.text(tagValue);
  into.double(rssi);
  into.integer(source.kind === 'reader' ? source.readerId : null);
  into.smallint(source.kind === 'reader' ? source.antenna : null);
  into.integer(source.kind === 'handheld' ? source.handheldId : null);
  into.text(source.kind === 'handheld' ? source.submissionId : null);
  into.integer(source.kind === 'handheld' ? source.index : null);
}

/**
 * Raises the RSSI of stored scans of readers to that of the stronger copies in `located`, one for each scan, unless
 * another recorder has raised it further. Nothing is inserted: `on conflict` finds each row by its identity.
 */
export async function strengthenScanEvents(db: Connection, located: readonly LocatedScan[]): Promise<void> {
  const sources = located.flatMap(({ scan: { source } }) => (source.kind === 'reader' ? [source] : []));
  if (sources.length === 0) {
    return;
  }
  await db.exec(sql.prepared('strengthen-scan-events', NO_ROWS)`
    insert into scan_events as known (org_id, asset_id, location_id, observed_at, received_at,
      time_is_received, tag_type, tag_value, rssi, reader_id, antenna)
    select org_id, asset_id, location_id, observed_at, received_at, time_is_received, tag_type, tag_value, rssi,
      reader_id, antenna
    from unnest(
      ${sql.binary(integers(located.map(({ orgId }) => orgId)))}::integer[],
      ${sql.binary(integers(located.map(({ assetId }) => assetId)))}::integer[],
      ${sql.binary(integers(located.map(({ locationId }) => locationId)))}::integer[],
      ${sql.binary(timestamps(located.map(({ observedAt }) => observedAt)))}::timestamptz[],
      ${sql.binary(timestamps(located.map(({ scan }) => scan.receivedAt)))}::timestamptz[],
      ${sql.array(
        located.map(({ timeIsReceived }) => timeIsReceived),
        'bool',
      )},
      ${sql.binary(texts(located.map(({ scan }) => scan.tagType)))}::text[],
      ${sql.binary(texts(located.map(({ tagValue }) => tagValue)))}::text[],
      ${sql.binary(doubles(located.map(({ scan }) => scan.rssi)))}::float8[],
      ${sql.binary(integers(sources.map(({ readerId }) => readerId)))}::integer[],
      ${sql.binary(smallints(sources.map(({ antenna }) => antenna)))}::smallint[])
      as stronger (org_id, asset_id, location_id, observed_at, received_at, time_is_received, tag_type, tag_value,
      rssi, reader_id, antenna)
    on conflict (org_id, observed_at, reader_id, antenna, tag_type, tag_value) where reader_id is not null
    do update set rssi = excluded.rssi where known.rssi is null or known.rssi < excluded.rssi`);
}
