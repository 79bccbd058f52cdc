import type { VendorName } from './vendors/vendors.ts';

/** A location of the site, and what happens there if assets stop at it. */
export interface Place {
  key: string;
  name: string;
  /** Null for the site itself. */
  parent: string | null;
  /** Null where nothing stops: a zone is only made of its doors and aisles. */
  stage: Stage | null;
}

/** What goods pass through, one after the other. */
export type Stage = 'receiving' | 'storage' | 'packing' | 'shipping';

export interface SiteReader {
  name: string;
  topic: string;
  format: VendorName;
  /** Keys of the places of ports 1, 2, ...; null for an antenna that hangs nowhere. */
  antennas: readonly (string | null)[];
}

/** A warehouse: the site, its zones, their doors, aisles and lines. Parents come first. */
export const PLACES: readonly Place[] = [
  { key: 'NORTH-HUB', name: 'North Hub', parent: null, stage: null },
  { key: 'RECEIVING', name: 'Receiving', parent: 'NORTH-HUB', stage: null },
  { key: 'DOCK-1', name: 'Dock door 1', parent: 'RECEIVING', stage: 'receiving' },
  { key: 'DOCK-2', name: 'Dock door 2', parent: 'RECEIVING', stage: 'receiving' },
  { key: 'DOCK-3', name: 'Dock door 3', parent: 'RECEIVING', stage: 'receiving' },
  { key: 'STORAGE', name: 'Storage', parent: 'NORTH-HUB', stage: null },
  { key: 'AISLE-A', name: 'Aisle A', parent: 'STORAGE', stage: 'storage' },
  { key: 'AISLE-B', name: 'Aisle B', parent: 'STORAGE', stage: 'storage' },
  { key: 'AISLE-C', name: 'Aisle C', parent: 'STORAGE', stage: 'storage' },
  { key: 'COLD-ROOM', name: 'Cold room', parent: 'STORAGE', stage: 'storage' },
  { key: 'PACKING', name: 'Packing', parent: 'NORTH-HUB', stage: null },
  { key: 'PACK-1', name: 'Packing line 1', parent: 'PACKING', stage: 'packing' },
  { key: 'PACK-2', name: 'Packing line 2', parent: 'PACKING', stage: 'packing' },
  { key: 'SHIPPING', name: 'Shipping', parent: 'NORTH-HUB', stage: null },
  { key: 'GATE-1', name: 'Shipping gate 1', parent: 'SHIPPING', stage: 'shipping' },
  { key: 'GATE-2', name: 'Shipping gate 2', parent: 'SHIPPING', stage: 'shipping' },
];

/** The last one is not mounted yet: it lies switched on in the workshop, and what it reads says nothing of a place. */
export const READERS: readonly SiteReader[] = [
  { name: 'docks-1-2', topic: 'hub/docks-1-2', format: 'csl-cs463', antennas: ['DOCK-1', 'DOCK-2'] },
  { name: 'dock-3', topic: 'hub/dock-3', format: 'csl-cs463', antennas: ['DOCK-3'] },
  { name: 'aisles-a-b', topic: 'hub/aisles-a-b', format: 'zebra-iotc', antennas: ['AISLE-A', 'AISLE-B'] },
  { name: 'aisle-c', topic: 'hub/aisle-c', format: 'zebra-iotc', antennas: ['AISLE-C', 'COLD-ROOM'] },
  { name: 'packing', topic: 'hub/packing', format: 'impinj-r700', antennas: ['PACK-1', 'PACK-2'] },
  { name: 'gates', topic: 'hub/gates', format: 'impinj-r700', antennas: ['GATE-1', 'GATE-2'] },
  { name: 'workshop', topic: 'hub/workshop', format: 'csl-cs463', antennas: [null] },
];

/** Where assets stop. */
export const STOPS: readonly Place[] = PLACES.filter(({ stage }) => stage !== null);

/** The antenna that sees a place. */
export interface Antenna {
  reader: SiteReader;
  port: number;
}

/** @throws RangeError for a place that no antenna sees. */
export function antennaAt(placeKey: string): Antenna {
  for (const reader of READERS) {
    const index = reader.antennas.indexOf(placeKey);
    if (index >= 0) {
      return { reader, port: index + 1 };
    }
  }
  throw new RangeError(`no antenna at ${placeKey}`);
}

/** The reader that is not mounted. */
export function workshopReader(): SiteReader {
  const reader = READERS.find(({ antennas }) => antennas.includes(null));
  if (reader === undefined) {
    throw new RangeError('every reader is mounted');
  }
  return reader;
}
