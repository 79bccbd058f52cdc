import { createHash, hash } from 'node:crypto';
import type { Micros } from '../../shared/instant.ts';
import type { Mapped } from '../mapping/run.ts';
import type { RegisteredReader } from '../registry/load-readers.ts';
import type { ClockSample } from './reader-clocks.ts';

/** A message as a broker handed it over. */
export interface IncomingMessage {
  topic: string;
  payload: Buffer;
  /** The DUP flag: the publisher may have sent it before. */
  isDup: boolean;
  /** Whose packet identifiers these are: a reader that publishes here, or a session at a broker. */
  sender: string;
  /** Null at QoS 0. */
  packetId: number | null;
  /** Delivered because of a new subscription, not because it was just published. */
  isStale: boolean;
  /** How long the publisher was held back by its quota since its last message, in milliseconds. */
  throttledMs?: number;
  /** Told at once how many reads it has. */
  onDecoded?: (reads: number) => void;
}

/** A message that has been read and is ready to be recorded. */
export interface ReadMessage {
  topic: string;
  receivedAt: Micros;
  isDup: boolean;
  /** Null where no reader has the topic. */
  reader: RegisteredReader | null;
  mapped: Mapped;
  /** What is kept of the payload if anything in it is rejected. */
  payload: PayloadExcerpt;
  throttledMs?: number;
  clockSample?: ClockSample | null;
  /** SHA-256 of what a redelivery has in common with it: sender, packet identifier, topic and payload. */
  digest: Buffer;
  /** SHA-256 of topic and payload. */
  digestOfWords: Buffer;
}

/** The beginning of a payload, with what identifies the whole. */
export interface PayloadExcerpt {
  head: Buffer;
  /** Of the whole payload. */
  bytes: number;
  sha256: Buffer;
}

/** How much of a rejected payload is kept. */
export const PAYLOAD_KEPT = 65_536;

/**
 * A copy, so that the network buffer the payload lies in can be freed. Few messages are ever asked for their digest,
 * and at one read a message digests took a tenth of Node.js's time, so it is made when it is asked for.
 */
export function excerptOf(payload: Buffer): PayloadExcerpt {
  const head = Buffer.from(payload.subarray(0, PAYLOAD_KEPT));
  const bytes = payload.length;
  return bytes > PAYLOAD_KEPT
    ? { head, bytes, sha256: hash('sha256', payload, 'buffer') }
    : {
        head,
        bytes,
        get sha256() {
          return hash('sha256', head, 'buffer');
        },
      };
}

/** The digests of a message, each made when it is asked for. */
export function digestsOf(
  { topic, sender, packetId }: Pick<IncomingMessage, 'topic' | 'sender' | 'packetId'>,
  payload: PayloadExcerpt,
): Pick<ReadMessage, 'digest' | 'digestOfWords'> {
  // Neither a topic nor a packet identifier contains U+0000.
  const words = () => createHash('sha256').update(topic).update('\0').update(payload.sha256);
  return {
    get digest() {
      return words().update(`${packetId}\0${sender}`).digest();
    },
    get digestOfWords() {
      return words().digest();
    },
  };
}
