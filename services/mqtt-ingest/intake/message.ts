import { createHash } from 'node:crypto';
import type { Micros } from '../../shared/instant.ts';
import type { Mapped } from '../mapping/run.ts';
import type { RegisteredReader } from '../registry/load-readers.ts';

/** A message as a broker handed it over. */
export interface IncomingMessage {
  topic: string;
  payload: Buffer;
  /** The DUP flag: the publisher may have sent it before. */
  isDup: boolean;
  /** Delivered because of a new subscription, not because it was just published. */
  isStale: boolean;
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
  /** SHA-256 of topic and payload: the same words, the same digest. */
  digest: Buffer;
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

/** A copy, so that the network buffer the payload lies in can be freed. */
export function excerptOf(payload: Buffer): PayloadExcerpt {
  const sha256 = createHash('sha256').update(payload).digest();
  return { head: Buffer.from(payload.subarray(0, PAYLOAD_KEPT)), bytes: payload.length, sha256 };
}

export function digestOf(topic: string, payloadSha256: Buffer): Buffer {
  return createHash('sha256').update(topic).update('\0').update(payloadSha256).digest();
}
