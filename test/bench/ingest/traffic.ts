import { READING_KINDS, type Readings } from '../../../domain/tracking/reading-kind.ts';
import { type Hall, hallTraffic } from './hall.ts';
import { readerName, tagValue } from './site.ts';
import { Whereabouts } from './whereabouts.ts';

/** What the readers of a site send. Nothing is drawn but from `seed`: the same settings make the same messages. */
export interface TrafficSettings {
  /** Numbers of readers, from 0. Traffic of all readers at once is what each of them makes of its own. */
  readers: readonly number[];
  messages: number;
  readsPerMessage: number;
  assets: number;
  /** The location where each asset was read last; if left out they are at their first antennas, wherever that was. */
  places?: readonly number[];
  /** The share of reads that are observed before their turn. */
  late: number;
  /** Scattered if left out. */
  lateKind?: LateKind;
  /** Values that each tag measured, at most six; none if left out. */
  readings?: number;
  /** The share of messages that no format can decode. */
  poison: number;
  /** The share of reads that are their asset's first at another antenna. One in 20 if left out. */
  moves?: number;
  /** Milliseconds since 1970 of the first read. */
  start: number;
  seed: number;
  /** What is heard in a hall instead; then nothing is late, undecodable, or at one antenna only. */
  hall?: Hall;
}

/**
 * - `scattered`: each by itself, by up to ten minutes and in no order, at the place where its asset is now. Not what readers
 *   send; three in ten change history.
 * - `buffered`: whole messages of what readers kept while they were cut off, an hour ago, in order and each between messages of
 *   now. Assets moved then as they do now.
 */
export type LateKind = 'scattered' | 'buffered';

/** How long before their turn buffered reads were made, in milliseconds. */
export const CUT_OFF = 3_600_000;

const SCATTERED = 600_000;

export interface PlannedMessage {
  reader: number;
  topic: string;
  payload: Buffer;
}

const USUAL_MOVES = 1 / 20;

/** Of one reader, in milliseconds: two thousand reads a second, as a busy portal has. */
const BETWEEN_READS = 0.5;

/** The time that the reads of one reader span, in milliseconds. */
export function spanOf({ readers, messages, readsPerMessage }: TrafficSettings): number {
  return Math.ceil(messages / readers.length) * readsPerMessage * BETWEEN_READS;
}

/** Messages of the readers in turn. */
export function* traffic(settings: TrafficSettings): Generator<PlannedMessage> {
  if (settings.hall !== undefined) {
    yield* hallTraffic(settings.hall, settings);
    return;
  }
  const { readers, messages, readsPerMessage, late, lateKind = 'scattered', poison, start, seed } = settings;
  const random = seeded(seed);
  const places = { ...settings, moves: settings.moves ?? USUAL_MOVES };
  const now = new Whereabouts(places, random);
  const then = lateKind === 'buffered' ? new Whereabouts(places, random) : now;
  for (let sent = 0; sent < messages; sent++) {
    const reader = readers[sent % readers.length] ?? 0;
    const topic = readerName(reader);
    if (random() < poison) {
      yield { reader, topic, payload: Buffer.from('{"value":') };
      continue;
    }
    const isBuffered = lateKind === 'buffered' && random() < late;
    const first = Math.floor(sent / readers.length) * readsPerMessage;
    const reads = Array.from({ length: readsPerMessage }, (_, index) => {
      const isScattered = lateKind === 'scattered' && random() < late;
      const delay = isBuffered ? CUT_OFF : isScattered ? random() * SCATTERED : 0;
      const { asset, antenna } = (isBuffered ? then : now).read(reader);
      return {
        value: tagValue(asset),
        antenna,
        rssi: -40 - Math.floor(random() * 300) / 10,
        observed_at: timestamp(start + (first + index) * BETWEEN_READS - delay),
        ...readingsOf(asset, settings.readings ?? 0),
      };
    });
    yield { reader, topic, payload: Buffer.from(JSON.stringify(reads)) };
  }
}

function readingsOf(asset: number, count: number): Readings {
  const kinds = count === 0 ? [] : READING_KINDS.toReversed().slice(-count);
  return Object.fromEntries(kinds.map((kind) => [kind, 4 + (asset % 50) / 10]));
}

/** With microseconds, which `Date` has not. */
function timestamp(at: number): string {
  const micros = Math.floor((at - Math.floor(at)) * 1_000);
  return new Date(at).toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`);
}

/** Numbers from 0 to 1 (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
