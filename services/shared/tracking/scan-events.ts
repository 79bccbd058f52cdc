import pg, { type ClientBase } from 'pg';
import type { BinaryValues } from '../../../db/timescale/binary-values.ts';
import { type CopyTarget, copyRows } from '../../../db/timescale/copy-rows.ts';
import type { PlacedScan } from './placed-scan.ts';

/**
 * Writes raw scans, none of which should be stored yet.
 *
 * By COPY: of what recording took of the database, `insert ... on conflict do nothing` was half, 8.7 us a row where
 * this takes 5.
 *
 * @returns whether they were written; if one of them was stored already, none is, and the transaction has failed.
 */
export async function insertScanEvents(client: ClientBase, placed: readonly PlacedScan[]): Promise<boolean> {
  if (placed.length === 0) {
    return true;
  }
  try {
    await copyRows(client, SCAN_EVENTS, placed, writeScanEvent);
    return true;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION) {
      return false;
    }
    throw error;
  }
}

const UNIQUE_VIOLATION = '23505';

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

function writeScanEvent(into: BinaryValues, placed: PlacedScan): void {
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
 * Gives stored scans of readers the RSSI of the stronger copies in `placed`, unless another recorder has just given
 * them a still stronger one.
 */
export async function strengthenScanEvents(client: ClientBase, placed: readonly PlacedScan[]): Promise<void> {
  const sources = placed.flatMap(({ scan: { source } }) => (source.kind === 'reader' ? [source] : []));
  if (sources.length === 0) {
    return;
  }
  await client.query({
    name: 'strengthen-scan-events',
    text: `update scan_events known set rssi = stronger.rssi
      from unnest($1::integer[], $2::bigint[], $3::integer[], $4::smallint[], $5::text[], $6::text[], $7::float8[])
        as stronger (org_id, observed_at, reader_id, antenna, tag_type, tag_value, rssi)
      where known.org_id = stronger.org_id and known.observed_at = time_of_micros(stronger.observed_at)
        and known.reader_id = stronger.reader_id and known.antenna = stronger.antenna
        and known.tag_type = stronger.tag_type and known.tag_value = stronger.tag_value
        and (known.rssi is null or known.rssi < stronger.rssi)`,
    values: [
      placed.map(({ orgId }) => orgId),
      placed.map(({ observedAt }) => observedAt),
      sources.map(({ readerId }) => readerId),
      sources.map(({ antenna }) => antenna),
      placed.map(({ scan }) => scan.tagType),
      placed.map(({ tagValue }) => tagValue),
      placed.map(({ scan }) => scan.rssi),
    ],
  });
}
