import type { Client } from '../../db/timescale/connections/client.ts';
import { isUniqueViolation } from '../../db/timescale/connections/transaction.ts';
import {
  doubles,
  integers,
  smallints,
  texts,
  timestamps,
} from '../../db/timescale/queries/array-parameters.ts';
import type { BinaryValues } from '../../db/timescale/queries/binary-values.ts';
import { type CopyTarget, copyRows } from '../../db/timescale/queries/copy-rows.ts';
import { NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { LocatedScan } from './located-scan.ts';

/**
 * Writes raw scans, none of which should be stored yet.
 *
 * By COPY: of what recording took of the database, `insert ... on conflict do nothing` was half, 8.7 us a row where
 * this takes 5.
 *
 * @returns whether they were written; if one of them was stored already, none is, and the transaction has failed.
 */
export async function insertScanEvents(client: Client, placed: readonly LocatedScan[]): Promise<boolean> {
  if (placed.length === 0) {
    return true;
  }
  try {
    await copyRows(client, SCAN_EVENTS, placed, writeScanEvent);
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

function writeScanEvent(into: BinaryValues, placed: LocatedScan): void {
  const { orgId, assetId, locationId, observedAt, timeIsReceived, tagValue, scan } = placed;
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
 * Gives stored scans of readers the RSSI of the stronger copies in `placed`, one of each identity, unless another
 * recorder has just given them a still stronger one. They are stored, so nothing is inserted: `on conflict` finds each
 * by its identity.
 */
export async function strengthenScanEvents(db: Connection, placed: readonly LocatedScan[]): Promise<void> {
  const sources = placed.flatMap(({ scan: { source } }) => (source.kind === 'reader' ? [source] : []));
  if (sources.length === 0) {
    return;
  }
  await db.exec(sql.prepared('strengthen-scan-events', NO_ROWS)`
    insert into scan_events as known (org_id, asset_id, location_id, observed_at, received_at,
      time_is_received, tag_type, tag_value, rssi, reader_id, antenna)
    select org_id, asset_id, location_id, observed_at, received_at, time_is_received, tag_type, tag_value, rssi,
      reader_id, antenna
    from unnest(
      ${sql.binary(integers(placed.map(({ orgId }) => orgId)))}::integer[],
      ${sql.binary(integers(placed.map(({ assetId }) => assetId)))}::integer[],
      ${sql.binary(integers(placed.map(({ locationId }) => locationId)))}::integer[],
      ${sql.binary(timestamps(placed.map(({ observedAt }) => observedAt)))}::timestamptz[],
      ${sql.binary(timestamps(placed.map(({ scan }) => scan.receivedAt)))}::timestamptz[],
      ${sql.array(
        placed.map(({ timeIsReceived }) => timeIsReceived),
        'bool',
      )},
      ${sql.binary(texts(placed.map(({ scan }) => scan.tagType)))}::text[],
      ${sql.binary(texts(placed.map(({ tagValue }) => tagValue)))}::text[],
      ${sql.binary(doubles(placed.map(({ scan }) => scan.rssi)))}::float8[],
      ${sql.binary(integers(sources.map(({ readerId }) => readerId)))}::integer[],
      ${sql.binary(smallints(sources.map(({ antenna }) => antenna)))}::smallint[])
      as stronger (org_id, asset_id, location_id, observed_at, received_at, time_is_received, tag_type, tag_value,
      rssi, reader_id, antenna)
    on conflict (org_id, observed_at, reader_id, antenna, tag_type, tag_value) where reader_id is not null
    do update set rssi = excluded.rssi where known.rssi is null or known.rssi < excluded.rssi`);
}
