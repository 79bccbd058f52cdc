import {
  type Antenna,
  antennaAt as antennaOf,
  type Site,
  type SiteLocation,
  type SiteReader,
  stopsOf,
} from '../../../simulation/site.ts';

/** The location around all others. */
export const SITE = { key: 'NORTH-HUB', name: 'North Hub' };

/** A warehouse: the site, its zones, their doors, aisles and lines. Parents come first. */
export const LOCATIONS: readonly SiteLocation[] = [
  { ...SITE, parent: null, stage: null },
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

/** The last one is not mounted yet: it is switched on in the workshop, and its reads mean no location. */
export const READERS: readonly SiteReader[] = [
  { name: 'docks-1-2', topic: 'hub/docks-1-2', format: 'csl-cs463', antennas: ['DOCK-1', 'DOCK-2'] },
  { name: 'dock-3', topic: 'hub/dock-3', format: 'csl-cs463', antennas: ['DOCK-3'] },
  { name: 'aisles-a-b', topic: 'hub/aisles-a-b', format: 'zebra-iotc', antennas: ['AISLE-A', 'AISLE-B'] },
  { name: 'aisle-c', topic: 'hub/aisle-c', format: 'zebra-iotc', antennas: ['AISLE-C', 'COLD-ROOM'] },
  { name: 'packing', topic: 'hub/packing', format: 'impinj-r700', antennas: ['PACK-1', 'PACK-2'] },
  { name: 'gates', topic: 'hub/gates', format: 'impinj-r700', antennas: ['GATE-1', 'GATE-2'] },
  { name: 'workshop', topic: 'hub/workshop', format: 'csl-cs463', antennas: [null] },
];

const NORTH_HUB: Site = { locations: LOCATIONS, readers: READERS };

/** Rooms in which everything is read at every step of the live demo, so that it is missed. */
export const ROOMS: readonly string[] = LOCATIONS.filter(({ stage }) => stage === 'storage').map(
  ({ key }) => key,
);

export const STOPS: readonly SiteLocation[] = stopsOf(NORTH_HUB);

/** The antenna that sees a location. @throws RangeError for a location that none sees. */
export function antennaAt(placeKey: string): Antenna {
  return antennaOf(NORTH_HUB, placeKey);
}

export function workshopReader(): SiteReader {
  const reader = READERS.find(({ antennas }) => antennas.includes(null));
  if (reader === undefined) {
    throw new RangeError('every reader is mounted');
  }
  return reader;
}
