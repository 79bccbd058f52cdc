import { mapMessage } from '../../../domain/formats/mapping/run.ts';
import { MAX_ITEMS, MAX_PAYLOAD_BYTES } from '../../../domain/formats/mapping/values/limits.ts';
import type { Target } from '../../support/fuzz-targets.ts';
import { timeOf } from '../../support/held-loop.ts';
import { largePayloads } from '../../support/large-payloads.ts';
import { tagOf } from './site.ts';

/** Messages that are published in turn. */
export interface Messages {
  name: string;
  payloads: readonly Uint8Array[];
}

/** What a format takes longest to understand, of a mebibyte. */
export function worstMessage({ format, seeds }: Target): Messages {
  const payloads = largePayloads(seeds[0]?.payload ?? Buffer.of(), MAX_PAYLOAD_BYTES - 64);
  const times = payloads.map((payload) => timeOf(() => mapMessage(format, { topic: 'worst', payload }), 1));
  const at = times.indexOf(Math.max(...times));
  return { name: `a mebibyte, kind ${at + 1}`, payloads: payloads.slice(at, at + 1) };
}

/** Messages of our own format: as many reads as one may have, and as many messages as a reader may send in a second. */
export function messagesOfReads(): Messages[] {
  return [
    { name: '9,999 unknown tags', payloads: messages(30, 9_999, (at) => `U-${at}`) },
    { name: '9,999 tags of assets', payloads: messages(19, 9_999, (at) => tagOf(1 + at)) },
    { name: '2,000 a second, of 5 reads', payloads: messages(20_000, 5, (at) => tagOf(1 + at)) },
  ];
}

/**
 * As many reads as a message may have. Each is stronger than the one before it by more than the margin, so that each message
 * moves all assets to the other antenna.
 */
export function messagesOfMoves(firstAsset: number): Uint8Array[] {
  return Array.from({ length: 100 }, (_, message) => {
    const reads = Array.from({ length: MAX_ITEMS }, (_, at) => ({
      ...{ value: tagOf(firstAsset + at), antenna: 1 + (message % 2) },
      rssi: 7 * message - 150,
    }));
    return Buffer.from(JSON.stringify(reads));
  });
}

/** Nearly a mebibyte of unknown tags. */
export function largeMessage(name: string): Uint8Array[] {
  return messages(1, 9_000, (at) => `${name}-${at}-${'y'.repeat(75)}`);
}

/** One tag, read at two antennas within a minute some thousand times a second: where strength decides, each read has all others around it. */
export function messagesOfOneTag(asset: number): Uint8Array[] {
  const since = Date.now() - 60_000;
  return Array.from({ length: 12 }, (_, message) => {
    const reads = Array.from({ length: 5_000 }, (_, at) => ({
      ...{ value: tagOf(asset), antenna: 1 + (at % 2), rssi: -40 - ((7 * at) % 30) },
      observed_at: new Date(since + 12 * at + message).toISOString(),
    }));
    return Buffer.from(JSON.stringify(reads));
  });
}

function messages(count: number, reads: number, value: (at: number) => string): Uint8Array[] {
  return Array.from({ length: count }, (_, message) => {
    const all = Array.from({ length: reads }, (_, at) => ({
      value: value(message * reads + at),
      antenna: 1,
    }));
    return Buffer.from(JSON.stringify(all));
  });
}
