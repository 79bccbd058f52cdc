import { createHash, hash } from 'node:crypto';
import type { Micros } from '../../base/instant.ts';
import type { Mapped } from '../formats/mapping/run.ts';
import type { RegisteredReader } from './load-readers.ts';
import type { ClockSample } from './reader-clocks.ts';

export interface IncomingMessage {
  topic: string;
  payload: Buffer;
  /** Of the whole, if the payload is only its beginning. */
  bytes?: number;
  isDup: boolean;
  /** Scope of the packet identifiers: a reader publishing here, or a session at a broker. */
  sender: string;
  /** Null at QoS 0. A text is a key that a sender gives, without U+0000. */
  packetId: number | string | null;
  /** Retained: delivered because of a new subscription, not because it was just published. Or captured: no device listens. */
  isStale: boolean;
  /** Why it is rejected without being read. */
  refusal?: string;
  /** Milliseconds that the publisher was throttled since its last message. */
  throttledMs?: number;
  /** Pushes of the reader that were refused since its last message. */
  pushesRefused?: number;
  onDecoded?: (reads: number) => void;
}

export interface ReadMessage {
  topic: string;
  /** By this machine's clock, which may later prove wrong. */
  receivedAt: Micros;
  /** `performance.now()` on arrival, if it arrived just now. */
  arrivedAt?: number;
  isDup: boolean;
  /** It does not show its reader listening. */
  isStale?: boolean;
  /** Null if no reader has the topic. */
  reader: RegisteredReader | null;
  mapped: Mapped;
  payload: PayloadExcerpt;
  throttledMs?: number;
  pushesRefused?: number;
  clockSample?: ClockSample | null;
  /** SHA-256 of everything a redelivery has in common: sender, packet identifier, topic and payload. */
  digest: Buffer;
}

export interface PayloadExcerpt {
  head: Buffer;
  /** Size of the whole payload. */
  bytes: number;
  sha256: Buffer;
}

/** Bytes kept of a rejected payload. */
export const PAYLOAD_KEPT = 65_536;

/**
 * Copies, so that the network buffer can be freed. Digests are computed on demand: few are ever needed, and at one read
 * a message they took a tenth of Node.js's time.
 */
export function excerptOf(payload: Buffer, bytes = payload.length): PayloadExcerpt {
  return new Excerpt(payload, bytes);
}

/** A class, because a getter defined per object costs more than all of its values. */
class Excerpt implements PayloadExcerpt {
  readonly head: Buffer;
  readonly bytes: number;
  readonly #whole: Buffer | null;

  constructor(payload: Buffer, bytes: number) {
    this.head = Buffer.from(payload.subarray(0, PAYLOAD_KEPT));
    this.bytes = bytes;
    this.#whole = payload.length > PAYLOAD_KEPT ? hash('sha256', payload, 'buffer') : null;
  }

  get sha256(): Buffer {
    return this.#whole ?? hash('sha256', this.head, 'buffer');
  }
}

export class MessageAsRead implements ReadMessage {
  readonly topic: string;
  readonly isDup: boolean;
  readonly isStale: boolean;
  readonly throttledMs: number;
  readonly pushesRefused: number;
  readonly payload: PayloadExcerpt;
  receivedAt: Micros;
  readonly arrivedAt: number;
  readonly reader: RegisteredReader | null;
  readonly mapped: Mapped;
  clockSample: ClockSample | null = null;
  readonly #sender: string;
  readonly #packetId: IncomingMessage['packetId'];

  constructor(
    incoming: IncomingMessage,
    {
      receivedAt,
      arrivedAt = performance.now(),
      reader,
      mapped,
    }: Pick<ReadMessage, 'receivedAt' | 'reader' | 'mapped'> & { arrivedAt?: number },
  ) {
    this.topic = incoming.topic;
    this.isDup = incoming.isDup;
    this.isStale = incoming.isStale;
    this.throttledMs = incoming.throttledMs ?? 0;
    this.pushesRefused = incoming.pushesRefused ?? 0;
    this.payload = excerptOf(incoming.payload, incoming.bytes);
    this.receivedAt = receivedAt;
    this.arrivedAt = arrivedAt;
    this.reader = reader;
    this.mapped = mapped;
    this.#sender = incoming.sender;
    this.#packetId = incoming.packetId;
  }

  get digest(): Buffer {
    return digestOfMessage(this.topic, this.payload, this.#packetId, this.#sender);
  }
}

export function digestsOf(
  { topic, sender, packetId }: Pick<IncomingMessage, 'topic' | 'sender' | 'packetId'>,
  payload: PayloadExcerpt,
): Pick<ReadMessage, 'digest'> {
  return {
    get digest() {
      return digestOfMessage(topic, payload, packetId, sender);
    },
  };
}

function digestOfMessage(
  topic: string,
  payload: PayloadExcerpt,
  packetId: IncomingMessage['packetId'],
  sender: string,
): Buffer {
  // U+0000 separates them: neither a topic nor a packet identifier contains it.
  return createHash('sha256')
    .update(topic)
    .update('\0')
    .update(payload.sha256)
    .update(`${packetId}\0${sender}`)
    .digest();
}
