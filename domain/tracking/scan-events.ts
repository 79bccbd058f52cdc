import type { Micros } from '../../base/instant.ts';
import type { Client } from '../../db/timescale/connections/client.ts';
import { isUniqueViolation } from '../../db/timescale/connections/transaction.ts';
import {
  type BinaryValues,
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
 * Writes raw scans by COPY, at 5 us a row. `insert ... on conflict do nothing` took 8.7 us, half of the database's time
 * for recording.
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

/** A stored scan of a handheld by its identity, and the retraction that takes it back. */
export interface ToMark {
  orgId: number;
  observedAt: Micros;
  submissionId: string;
  index: number;
  retractionId: string;
}

export function isRetracted({ scan: { source } }: LocatedScan): boolean {
  return source.kind === 'handheld' && source.retractionId !== undefined;
}

/** The new scans that were taken back before they arrived. */
export function toMark(scans: readonly LocatedScan[]): ToMark[] {
  const marks: ToMark[] = [];
  for (const { orgId, observedAt, scan } of scans) {
    const { source } = scan;
    if (source.kind === 'handheld' && source.retractionId !== undefined) {
      const { submissionId, index, retractionId } = source;
      marks.push({ orgId, observedAt, submissionId, index, retractionId });
    }
  }
  return marks;
}

/**
 * Marks stored scans as taken back. Found by their identity first, and then updated where they are in the table, as
 * transitions are deleted.
 *
 * @throws RangeError if one of them is not stored.
 */
export async function markRetracted(db: Connection, scans: readonly ToMark[]): Promise<void> {
  if (scans.length === 0) {
    return;
  }
  const instants = scans.map(({ observedAt }) => observedAt);
  const first = instants.reduce((a, b) => Math.min(a, b));
  const last = instants.reduce((a, b) => Math.max(a, b));
  const marked = await db.exec(sql.prepared('mark-retracted', NO_ROWS)`
    update scan_events set retraction_id = old.retraction_id
    from unnest(
        ${sql.binary(integers(scans.map(({ orgId }) => orgId)))}::integer[],
        ${sql.binary(timestamps(instants))}::timestamptz[],
        ${sql.binary(texts(scans.map(({ submissionId }) => submissionId)))}::text[],
        ${sql.binary(integers(scans.map(({ index }) => index)))}::integer[],
        ${sql.binary(texts(scans.map(({ retractionId }) => retractionId)))}::text[])
        as given (org_id, observed_at, submission_id, index, retraction_id)
      cross join lateral (
        select tableoid as part, ctid as row, given.retraction_id from scan_events stored
        where stored.org_id = given.org_id and stored.observed_at = given.observed_at
          and stored.submission_id = given.submission_id
          and stored.submission_index between given.index and given.index
          and stored.observed_at between time_of_micros(${first}::bigint) and time_of_micros(${last}::bigint)
        order by stored.submission_index offset 0
      ) old
    where scan_events.ctid = old.row and scan_events.tableoid = old.part`);
  if (marked !== scans.length) {
    throw new RangeError(`${marked} of ${scans.length} scans to be taken back are stored`);
  }
}
