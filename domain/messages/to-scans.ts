import type { Micros } from '../../base/instant.ts';
import type { Item, TagRead } from '../formats/mapping/run.ts';
import type { Outcome, Scan } from '../tracking/scan.ts';
import { whyUnusable } from '../tracking/tag-key.ts';
import { antennaNumber } from './antenna-of.ts';
import type { RegisteredReader } from './load-readers.ts';

export type ScanItem = { scan: Scan } | { ignored: string } | { rejected: string };

export type ItemResult = Exclude<ScanItem, { scan: unknown }> | { outcome: Outcome };

export function toScans(
  reader: RegisteredReader,
  items: readonly Item[],
  received: { receivedAt: Micros; isRedelivery: boolean },
): ScanItem[] {
  return items.map((item) => {
    if (item.outcome === 'ignored') {
      return { ignored: item.reason };
    }
    if (item.outcome === 'rejected') {
      return { rejected: `item ${item.index}: ${item.reason}` };
    }
    const fault = whyUnusable(item.read);
    return fault === null ? { scan: toScan(reader, item.read, received) } : { rejected: fault };
  });
}

function toScan(
  reader: RegisteredReader,
  read: TagRead,
  { receivedAt, isRedelivery }: { receivedAt: Micros; isRedelivery: boolean },
): Scan {
  const { tagType, value, deviceTime, rssi, readings, reportUnknown } = read;
  const number = antennaNumber(reader, read);
  const antenna = reader.antennas.get(number);
  const isTooWeak = rssi !== null && antenna?.minRssi != null && rssi < antenna.minRssi;
  return {
    orgId: reader.orgId,
    tagType,
    value,
    locationId: antenna?.locationId ?? null,
    deviceTime,
    receivedAt,
    rssi,
    source: {
      kind: 'reader',
      readerId: reader.readerId,
      antenna: number,
      isShutOut: antenna?.isEnabled === false || isTooWeak,
      reportUnknown,
      isRedelivery,
    },
    ...(readings === undefined ? {} : { readings }),
  };
}
