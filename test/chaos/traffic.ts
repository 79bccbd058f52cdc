import type { Micros } from '../../base/instant.ts';

/** What readers publish, as a function of these figures alone, so that what must be stored can be said afterwards. */
export interface Traffic {
  seed: number;
  /** When the first read is observed. */
  start: Micros;
  readers: number;
  assets: number;
  /** How many messages there are to be, about. The reads of each, no more than there are assets, are of as many assets. */
  messages: number;
  readsPerMessage: number;
  /** One in so many messages has no times; in these every read is of a known asset at a known place. */
  timelessEvery: number;
  /** One in so many messages cannot be decoded. */
  undecodableEvery: number;
  /** One in so many messages has one read, which the database refuses. */
  refusedEvery: number;
}

export type Kind = 'timed' | 'timeless' | 'undecodable' | 'refused';

/** What must become of a read. */
export type Fate = 'recorded' | 'unknown' | 'unplaced' | 'rejected';

export interface PlannedRead {
  /** Of all the traffic; the fraction of the RSSI tells it in the database. */
  number: number;
  fate: Fate;
  asset: number;
  antenna: number;
  rssi: number;
  /** Null where the reception counts. */
  observedAt: Micros | null;
}

export interface PlannedMessage {
  index: number;
  kind: Kind;
  reader: number;
  reads: PlannedRead[];
}

export const ANTENNAS = 3;

/** One that no location is set for. */
const UNPLACED_ANTENNA = 9;

/**
 * The message with that index; those from `messages` on are like the others, but timed. Readers see the same assets by
 * turns, a third of the messages are late, and of some instants there are reads by several readers.
 */
export function messageOf(traffic: Traffic, index: number): PlannedMessage {
  const { readers, readsPerMessage, assets } = traffic;
  const kind = kindOf(traffic, index);
  const reader = index % readers;
  const slot = Math.floor(index / readers);
  const isTie = slot % 7 === 0;
  const observedAt = traffic.start + slotInTime(slot) * stepOf(traffic) + (isTie ? 0 : reader * 1_000);
  const first = index * readsPerMessage;
  const reads = Array.from({ length: kind === 'refused' ? 1 : readsPerMessage }, (_, place): PlannedRead => {
    const number = first + place;
    const chance = hash(traffic.seed, number);
    const fate = fateOf(kind, chance);
    const asset = (slot * readsPerMessage + place) % assets;
    return {
      number,
      fate,
      asset,
      antenna: fate === 'unplaced' ? UNPLACED_ANTENNA : 1 + ((chance >>> 8) % ANTENNAS),
      rssi: kind === 'refused' ? REFUSED_RSSI : -40 - ((chance >>> 16) % 40) - (number + 1) / NUMBERS,
      observedAt: kind === 'timeless' ? null : observedAt,
    };
  });
  return { index, kind, reader, reads };
}

/** As it goes over the wire: its index comes first. */
export function payloadOf({ index, kind, reads }: PlannedMessage): string {
  const text = JSON.stringify({
    message: index,
    reads: reads.map(({ fate, asset, antenna, rssi, observedAt }) => ({
      value: fate === 'unknown' ? `E2FF${asset}` : tagOf(asset),
      antenna,
      rssi,
      ...(observedAt === null ? {} : { observed_at: rfc3339(observedAt) }),
    })),
  });
  return kind === 'undecodable' ? text.slice(0, -2) : text;
}

/** The index of the message that a payload, or its beginning, is of. */
export function indexOf(payload: Buffer): number | null {
  const index = /^\{"message":(\d+),/.exec(payload.toString('latin1', 0, 32))?.[1];
  return index === undefined ? null : Number(index);
}

/** The number of the read that has this RSSI. */
export function numberOf(rssi: number): number {
  return Math.round((-rssi % 1) * NUMBERS) - 1;
}

export const readerName = (reader: number) => `portal-${reader}`;
export const tagOf = (asset: number) => `E28011${String(asset).padStart(6, '0')}`;

/** Reads have numbers below. */
const NUMBERS = 2 ** 24;

/** Weaker than that of any other read; the scenario's database refuses it. */
export const REFUSED_RSSI = -149.5;

/** The traffic's times lie within four days, so that they cross the hypertable's chunks. */
function stepOf({ messages, readers }: Traffic): Micros {
  const slots = Math.ceil(messages / readers) + 100;
  return Math.min(61_000_003, Math.floor((4 * 86_400_000_000) / slots));
}

function kindOf({ messages, undecodableEvery, refusedEvery, timelessEvery }: Traffic, index: number): Kind {
  if (index >= messages) {
    return 'timed';
  }
  if (index % undecodableEvery === undecodableEvery - 1) {
    return 'undecodable';
  }
  if (index % refusedEvery === refusedEvery - 2) {
    return 'refused';
  }
  return index % timelessEvery === 0 ? 'timeless' : 'timed';
}

function fateOf(kind: Kind, chance: number): Fate {
  if (kind === 'undecodable' || kind === 'refused') {
    return 'rejected';
  }
  if (kind === 'timed' && chance % 40 < 2) {
    return chance % 40 === 0 ? 'unknown' : 'unplaced';
  }
  return 'recorded';
}

/** Every third eight messages of a reader come in reverse. */
function slotInTime(slot: number): number {
  const block = Math.floor(slot / 8);
  return block % 3 === 1 ? block * 8 + 7 - (slot % 8) : slot;
}

function rfc3339(at: Micros): string {
  const milliseconds = Math.floor(at / 1_000);
  return new Date(milliseconds).toISOString().replace('Z', `${String(at % 1_000).padStart(3, '0')}Z`);
}

/** Evenly spread over 32 bits (the finalizer of MurmurHash3). */
function hash(seed: number, number: number): number {
  let bits = Math.imul(number ^ Math.imul(seed, 0x9e37_79b1), 0x85eb_ca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2_ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
