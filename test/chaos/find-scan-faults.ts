import type { ClientBase } from 'pg';
import type { Tap } from './tap.ts';
import { numberOf, type PlannedMessage, type PlannedRead, readerName } from './traffic.ts';

export interface ScanFaults {
  missing: number;
  doubled: number;
  altered: number;
  toldTwice: number;
}

/** Counts every read that was published against the raw scans. */
export async function findScanFaults(
  client: ClientBase,
  messages: readonly PlannedMessage[],
  tap: Tap,
): Promise<ScanFaults> {
  const copies = new Map<number, number>();
  const expected = new Map<number, Expected>();
  for (const { reads, reader } of messages) {
    for (const read of reads) {
      if (read.fate === 'recorded') {
        expected.set(read.number, { read, reader: readerName(reader) });
      }
    }
  }
  let altered = 0;
  for await (const rows of pagesOf(client)) {
    for (const row of rows) {
      const number = numberOf(row.rssi);
      const planned = expected.get(number);
      copies.set(number, (copies.get(number) ?? 0) + 1);
      altered += planned !== undefined && isAsPlanned(row, planned) ? 0 : 1;
    }
  }
  const faults = { missing: 0, doubled: 0, altered, toldTwice: 0 };
  for (const { index, reads } of messages) {
    for (const { fate, number, observedAt } of reads) {
      const found = copies.get(number) ?? 0;
      const allowed = observedAt === null ? (tap.handedOverAsNew.get(index) ?? 1) : 1;
      if (fate === 'recorded') {
        faults.missing += found === 0 ? 1 : 0;
        faults.doubled += Math.max(0, found - allowed);
        faults.toldTwice += Math.max(0, Math.min(found, allowed) - 1);
      }
    }
  }
  return faults;
}

interface Expected {
  read: PlannedRead;
  reader: string;
}

interface Row {
  rssi: number;
  asset: string;
  place: string;
  reader: string;
  antenna: number;
  observed_at: number;
  time_is_received: boolean;
}

function isAsPlanned(row: Row, { read, reader }: Expected): boolean {
  return (
    row.asset === `PALLET-${read.asset}` &&
    row.reader === reader &&
    row.antenna === read.antenna &&
    row.place === `PLACE-${reader.slice(reader.indexOf('-') + 1)}-${read.antenna - 1}` &&
    row.time_is_received === (read.observedAt === null) &&
    (read.observedAt === null || row.observed_at === read.observedAt)
  );
}

async function* pagesOf(client: ClientBase): AsyncGenerator<Row[]> {
  await client.query(
    `declare scans no scroll cursor for
     select rssi, asset.external_key as asset, place.external_key as place, reader.name as reader, antenna,
       micros_of_time(observed_at) as observed_at, time_is_received
     from scan_events
     join assets asset on asset.id = asset_id
     join locations place on place.id = scan_events.location_id
     join readers reader on reader.id = reader_id`,
  );
  for (;;) {
    const { rows } = await client.query<Row>('fetch 20000 from scans');
    if (rows.length === 0) {
      break;
    }
    yield rows;
  }
  await client.query('close scans');
}
