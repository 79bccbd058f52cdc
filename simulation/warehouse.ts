import { ENCODERS, type EncoderName } from './encoders/encoders.ts';
import type { Site, SiteLocation, SiteReader, Stage } from './site.ts';

export interface WarehousePlan {
  /** Number of readers, of `formats` in turn. */
  readers: number;
  formats: readonly EncoderName[];
  prefix: string;
  topicRoot: string;
}

/**
 * A warehouse with a location for every antenna: two per reader whose messages tell antennas apart, one for others. The
 * first reader that can has one more, unmounted.
 */
export function makeWarehouse({ readers: count, formats, prefix, topicRoot }: WarehousePlan): Site {
  const stops: SiteLocation[] = [];
  const readers: SiteReader[] = [];
  const stagesSeen = new Map<Stage, number>();
  const addStop = () => {
    const stage = STAGES[stops.length % STAGES.length] ?? 'storage';
    const number = (stagesSeen.get(stage) ?? 0) + 1;
    stagesSeen.set(stage, number);
    const { zone, key, name } = ZONES[stage];
    const stop = `${prefix}${key}-${number}`;
    stops.push({ key: stop, name: `${name} ${number}`, parent: `${prefix}${zone}`, stage });
    return stop;
  };
  for (let index = 0; index < count; index++) {
    const format = formats[index % formats.length] ?? 'tagtrail';
    const name = `${prefix}READER-${String(index + 1).padStart(2, '0')}`;
    const antennas = Array.from({ length: ENCODERS[format].ports > 1 ? 2 : 1 }, addStop);
    readers.push({ name, topic: `${topicRoot}/${name}`, format, antennas });
  }
  const site = { key: `${prefix}SITE`, name: 'Simulated site', parent: null, stage: null };
  const zones = [...stagesSeen.keys()].map((stage) => {
    const { zone, title } = ZONES[stage];
    return { key: `${prefix}${zone}`, name: title, parent: site.key, stage: null };
  });
  return { locations: [site, ...zones, ...stops], readers: withLooseAntenna(readers) };
}

function withLooseAntenna(readers: readonly SiteReader[]): SiteReader[] {
  const first = readers.findIndex(({ antennas }) => antennas.length > 1);
  return readers.map((reader, index) =>
    index === first ? { ...reader, antennas: [...reader.antennas, null] } : reader,
  );
}

/** Repeated in this order, so that small sites have a bit of everything. */
const STAGES: readonly Stage[] = ['receiving', 'storage', 'shipping', 'packing', 'storage', 'storage'];

const ZONES: Record<Stage, { zone: string; title: string; key: string; name: string }> = {
  receiving: { zone: 'RECEIVING', title: 'Receiving', key: 'DOCK', name: 'Dock door' },
  storage: { zone: 'STORAGE', title: 'Storage', key: 'AISLE', name: 'Aisle' },
  packing: { zone: 'PACKING', title: 'Packing', key: 'PACK', name: 'Packing line' },
  shipping: { zone: 'SHIPPING', title: 'Shipping', key: 'GATE', name: 'Shipping gate' },
};
