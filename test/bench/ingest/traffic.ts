import { ANTENNAS, type Place, placeAt, READERS, readerName, tagValue } from './site.ts';

/** What the readers of a site send. Nothing is drawn but from `seed`: the same settings make the same messages. */
export interface TrafficSettings {
  /** Numbers of readers, from 0. Traffic of all readers at once is what each of them makes of its own. */
  readers: readonly number[];
  messages: number;
  readsPerMessage: number;
  assets: number;
  /** The location where each asset was read last; if left out they are at their first antennas, wherever that was. */
  places?: readonly number[];
  /** The share of reads observed up to ten minutes before their turn, as a reader sends that was cut off. */
  late: number;
  /** The share of messages that no format can decode. */
  poison: number;
  /** The share of reads that are their asset's first at another antenna. One in 20 if left out. */
  moves?: number;
  /** Milliseconds since 1970 of the first read. */
  start: number;
  seed: number;
}

interface Present {
  asset: number;
  antenna: number;
}

export interface PlannedMessage {
  reader: number;
  topic: string;
  payload: Buffer;
}

const USUAL_MOVES = 1 / 20;

/** Of the moves one in so many leads to another reader. */
const MOVES_TO_ANOTHER_READER = 5;

/** Of one reader, in milliseconds: two thousand reads a second, as a busy portal has. */
const BETWEEN_READS = 0.5;

/** The time that the reads of one reader span, in milliseconds. */
export function spanOf({ readers, messages, readsPerMessage }: TrafficSettings): number {
  return Math.ceil(messages / readers.length) * readsPerMessage * BETWEEN_READS;
}

/**
 * Messages of the readers in turn. Every asset is at one antenna of one reader, which reads the assets it has in no
 * particular order.
 */
export function* traffic(settings: TrafficSettings): Generator<PlannedMessage> {
  const {
    readers,
    messages,
    readsPerMessage,
    assets,
    places,
    late,
    poison,
    moves = USUAL_MOVES,
    start,
    seed,
  } = settings;
  const random = seeded(seed);
  const present = new Map(readers.map((reader) => [reader, [] as Present[]]));
  const move = (here: Present[], index: number, seen: Present) => {
    seen.antenna = 1 + ((seen.antenna + Math.floor(random() * (ANTENNAS - 1))) % ANTENNAS);
    if (random() < 1 / MOVES_TO_ANOTHER_READER && here.length > readsPerMessage) {
      here.splice(index, 1);
      present.get(readers[Math.floor(random() * readers.length)] ?? 0)?.push(seen);
    }
  };
  for (let asset = 0; asset < assets; asset++) {
    const location = places?.[asset];
    const { reader, antenna } = location === undefined ? firstPlace(asset) : placeAt(location);
    present.get(reader)?.push({ asset, antenna });
  }
  if (places !== undefined) {
    // So that first reads are moves as often as others.
    for (const here of present.values()) {
      for (const [index, seen] of [...here.entries()].reverse()) {
        if (random() < moves) {
          move(here, index, seen);
        }
      }
    }
  }
  for (let sent = 0; sent < messages; sent++) {
    const reader = readers[sent % readers.length] ?? 0;
    const topic = readerName(reader);
    if (random() < poison) {
      yield { reader, topic, payload: Buffer.from('{"value":') };
      continue;
    }
    const here = present.get(reader) ?? [];
    const first = Math.floor(sent / readers.length) * readsPerMessage;
    const reads = Array.from({ length: readsPerMessage }, (_, index) => {
      const drawn = Math.floor(random() * here.length);
      const seen = here[drawn];
      const at = start + (first + index) * BETWEEN_READS - (random() < late ? random() * 600_000 : 0);
      const read = {
        value: tagValue(seen?.asset ?? 0),
        antenna: seen?.antenna ?? 1,
        rssi: -40 - Math.floor(random() * 300) / 10,
        observed_at: timestamp(at),
      };
      if (seen !== undefined && random() < moves) {
        move(here, drawn, seen);
      }
      return read;
    });
    yield { reader, topic, payload: Buffer.from(JSON.stringify(reads)) };
  }
}

function firstPlace(asset: number): Place {
  return { reader: asset % READERS, antenna: 1 + (Math.floor(asset / READERS) % ANTENNAS) };
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
