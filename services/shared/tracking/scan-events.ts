import type { ClientBase } from 'pg';
import type { PlacedScan } from './placed-scan.ts';

/**
 * Writes raw scans, none of which should be stored yet.
 *
 * @returns how many were written; fewer than given means that some were known after all.
 */
export async function insertScanEvents(client: ClientBase, placed: readonly PlacedScan[]): Promise<number> {
  if (placed.length === 0) {
    return 0;
  }
  const { rowCount } = await client.query({
    name: 'insert-scan-events',
    text: `insert into scan_events (org_id, asset_id, location_id, observed_at, received_at, time_is_received,
        tag_type, tag_value, rssi, reader_id, antenna, handheld_id, submission_id, submission_index)
      select org_id, asset_id, location_id, time_of_micros(observed_at), time_of_micros(received_at),
        time_is_received, tag_type, tag_value, rssi, reader_id, antenna, handheld_id, submission_id, submission_index
      from unnest($1::integer[], $2::integer[], $3::integer[], $4::bigint[], $5::bigint[], $6::boolean[],
        $7::text[], $8::text[], $9::float8[], $10::integer[], $11::smallint[], $12::integer[], $13::text[],
        $14::integer[])
        as placed (org_id, asset_id, location_id, observed_at, received_at, time_is_received,
        tag_type, tag_value, rssi, reader_id, antenna, handheld_id, submission_id, submission_index)
      on conflict do nothing`,
    values: [
      placed.map(({ orgId }) => orgId),
      placed.map(({ assetId }) => assetId),
      placed.map(({ locationId }) => locationId),
      placed.map(({ observedAt }) => observedAt),
      placed.map(({ scan }) => scan.receivedAt),
      placed.map(({ timeIsReceived }) => timeIsReceived),
      placed.map(({ scan }) => scan.tagType),
      placed.map(({ tagValue }) => tagValue),
      placed.map(({ scan }) => scan.rssi),
      placed.map(({ scan: { source } }) => (source.kind === 'reader' ? source.readerId : null)),
      placed.map(({ scan: { source } }) => (source.kind === 'reader' ? source.antenna : null)),
      placed.map(({ scan: { source } }) => (source.kind === 'handheld' ? source.handheldId : null)),
      placed.map(({ scan: { source } }) => (source.kind === 'handheld' ? source.submissionId : null)),
      placed.map(({ scan: { source } }) => (source.kind === 'handheld' ? source.index : null)),
    ],
  });
  return rowCount ?? 0;
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
