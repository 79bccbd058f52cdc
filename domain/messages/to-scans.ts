import type { Micros } from '../../base/instant.ts';
import { MOST_NUMBER } from '../formats/mapping/acceptance.ts';
import type { Item, TagRead } from '../formats/mapping/run.ts';
import type { Outcome, Scan } from '../tracking/scan.ts';
import { whyUnusable } from '../tracking/tag-key.ts';
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

export type Antennas = Pick<RegisteredReader, 'antennas' | 'antennasNamed'>;

/** Of a read at an antenna that has no number, since it is named and nobody has registered it. */
export const NO_ANTENNA = 0;

/**
 * The number of the antenna that a read names. A read that names none belongs to the reader's only antenna; with
 * several it may belong to any.
 */
export function antennaNumber(
  { antennas, antennasNamed }: Antennas,
  { antenna }: Pick<TagRead, 'antenna'>,
): number {
  if (antenna === null) {
    return antennas.size > 1 ? NO_ANTENNA : (antennas.keys().next().value ?? 1);
  }
  if (typeof antenna === 'number' && antennas.has(antenna)) {
    return antenna;
  }
  return (
    antennasNamed.get(antenna) ??
    (typeof antenna === 'number' && antenna <= MOST_NUMBER ? antenna : NO_ANTENNA)
  );
}

/** The name by which an unregistered antenna is kept: a port's digits, or empty where none is named. Null for a registered one. */
export function unplacedName(reader: Antennas, read: Pick<TagRead, 'antenna'>): string | null {
  return reader.antennas.has(antennaNumber(reader, read)) ? null : String(read.antenna ?? '');
}
