import { greatestOf } from '../../../base/extremes.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { TagRead } from '../../../simulation/encoders/encoder.ts';
import { ENCODERS } from '../../../simulation/encoders/encoders.ts';
import type { Random } from '../../../simulation/random.ts';
import type { Antenna, SiteReader } from '../../../simulation/site.ts';
import { ASSETS } from './assets.ts';
import type { Itinerary, Period } from './itinerary.ts';
import { antennaAt, READERS, workshopReader } from './site.ts';

export interface Message {
  reader: SiteReader;
  payload: string;
  readyAt: Micros;
  kind: 'reads' | 'heartbeat' | 'garbage';
  reads: readonly SiteRead[];
}

export interface SiteRead extends TagRead {
  /** Null for the tag of a stranger. */
  asset: string | null;
  reader: SiteReader;
}

/**
 * Messages of the site's readers during `period`: the reads of the itineraries, and between them unregistered tags,
 * assets in the workshop, heartbeats, and a truncated message.
 */
export function makeMessages(
  itineraries: readonly Itinerary[],
  period: Period,
  random: Random,
): readonly Message[] {
  const reads = [
    ...itineraries.flatMap(readsOf),
    ...strangers(48, period, random),
    ...workshopReads(12, period, random),
  ];
  return READERS.flatMap((reader) => {
    const own = reads.filter((read) => read.reader === reader).sort((a, b) => a.at - b.at);
    return [...reports(reader, own, random), ...heartbeats(reader, period)];
  }).concat(brokenMessage(period));
}

function readsOf({ asset: key, visits }: Itinerary): SiteRead[] {
  const epc = ASSETS.find((asset) => asset.key === key)?.epc;
  if (epc === undefined) {
    throw new RangeError(`no asset ${key}`);
  }
  return visits.flatMap(({ location, reads }) =>
    reads.map(({ at, rssi }) => ({ ...antennaAt(location), value: epc, rssi, at, asset: key })),
  );
}

/** Tags of passing lorries and neighbours. */
function strangers(count: number, period: Period, random: Random): SiteRead[] {
  const epcs = Array.from(
    { length: 15 },
    () => `AD99${random.integer(0, 0xffffffff).toString(16).toUpperCase().padStart(20, '0')}`,
  );
  return Array.from({ length: count }, () => {
    const reader = random.pick(READERS);
    const port = random.integer(1, reader.antennas.length);
    return { ...randomRead({ reader, port }, random.pick(epcs), period, random), asset: null };
  });
}

/** Reads by the unmounted reader: they must move nothing. */
function workshopReads(count: number, period: Period, random: Random): SiteRead[] {
  return Array.from({ length: count }, () => {
    const { epc, key } = random.pick(ASSETS);
    const antenna = { reader: workshopReader(), port: 1 };
    return { ...randomRead(antenna, epc, period, random), asset: key };
  });
}

function randomRead(antenna: Antenna, value: string, { from, to }: Period, random: Random) {
  const clockTick = ENCODERS[antenna.reader.format].clockTick ?? 1;
  const at = Math.floor(from + random.fraction() * (to - from));
  return { ...antenna, value, rssi: random.integer(-84, -60), at: at - (at % clockTick) };
}

/** Groups consecutive reads into messages, as many as the reader puts into one. */
function reports(reader: SiteReader, reads: readonly SiteRead[], random: Random): Message[] {
  const { encode, maxReadsPerMessage } = ENCODERS[reader.format];
  const bundles: SiteRead[][] = [];
  let room = 0;
  for (const read of reads) {
    const bundle = bundles.at(-1);
    const opened = bundle?.[0];
    if (bundle === undefined || opened === undefined || room === 0 || read.at > opened.at + LONGEST_WAIT) {
      bundles.push([read]);
      room = random.integer(1, maxReadsPerMessage) - 1;
    } else {
      bundle.push(read);
      room--;
    }
  }
  return bundles.map((bundle, sequence) => ({
    reader,
    payload: encode(reader, bundle, sequence).payload,
    readyAt: greatestOf(bundle.map(({ at }) => at)),
    kind: 'reads',
    reads: bundle,
  }));
}

const LONGEST_WAIT = 300 * MICROS_PER_SECOND;

function heartbeats(reader: SiteReader, { from, to }: Period): Message[] {
  const every = 1_200 * MICROS_PER_SECOND;
  return Array.from({ length: Math.floor((to - from) / every) }, (_, sequence) => {
    const readyAt = from + sequence * every;
    const { payload } = ENCODERS[reader.format].heartbeat(reader, readyAt, sequence);
    return { reader, payload, readyAt, kind: 'heartbeat', reads: [] };
  });
}

/** Sent by a restarting reader. */
function brokenMessage({ from, to }: Period): Message {
  const { reader } = antennaAt('DOCK-3');
  return { reader, payload: 'BOOT OK fw=2.14 {', readyAt: (from + to) / 2, kind: 'garbage', reads: [] };
}
