import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { inflateRaw, unzip } from 'node:zlib';
import { PAYLOAD_KEPT } from '../../../domain/messages/message.ts';
import { ANY_TYPE, contentEncoding, type StreamedBody } from '../../../platform/http/body.ts';
import { badRequest, Problem } from '../../../platform/http/problem.ts';
import { announcedOf, BODY_LIMIT, gather, SMALL, tooLarge } from '../../../platform/http/read-body.ts';

export interface Pushed {
  payload: Buffer;
  /** Bytes of a refused body: as announced, or as received. */
  bytes?: number;
  /** The key that a repeated message shares with the first; null without one. */
  key: string | null;
  /** Why the payload is refused; null if it is not. */
  fault: Problem | null;
}

export const pushedBody: StreamedBody<Pushed> = {
  type: ANY_TYPE,
  schema: { type: 'string', format: 'binary' },
  limit: BODY_LIMIT,
  kept: PAYLOAD_KEPT,
  receive: async (chunks, headers, unfold) => {
    const announced = announcedOf(headers) ?? 0;
    let payload = Buffer.alloc(0);
    let part = payload;
    let hasNoRoom = false;
    const withRoom = (bytes: number) =>
      unfold(bytes).catch((error) => {
        hasNoRoom = true;
        throw error;
      });
    try {
      payload = await gather(chunks, (announced > BODY_LIMIT ? PAYLOAD_KEPT : announced) || null, (bytes) => {
        part = bytes;
      });
      const key = keyOf(headers);
      return { payload: await unpacked(payload, contentEncoding(headers), withRoom), key, fault: null };
    } catch (error) {
      const isTooLarge = error instanceof Problem && error.status === TOO_LARGE;
      const came = payload.length === 0 && isTooLarge ? part.subarray(0, PAYLOAD_KEPT) : payload;
      // A body that was cut off, or that there is no room for, is sent again: nothing of it is kept.
      if (hasNoRoom || !(error instanceof Problem) || (came.length === 0 && !isTooLarge)) {
        throw error;
      }
      const bytes = Math.min(Math.max(announced, part.length, came.length), Number.MAX_SAFE_INTEGER);
      return { payload: came, bytes, key: null, fault: error };
    }
  },
};

const TOO_LARGE = 413;

/** The first one of these, the second of CloudEvents in its binary mode. */
const KEYS = ['Idempotency-Key', 'ce-id'];

/** @throws Problem `bad_request`. */
function keyOf(headers: IncomingHttpHeaders): string | null {
  const name = KEYS.find((each) => headers[each.toLowerCase()] !== undefined);
  const key = name === undefined ? '' : String(headers[name.toLowerCase()]);
  if (key.length > LONGEST_KEY) {
    throw badRequest(`${name} must have at most ${LONGEST_KEY} characters`);
  }
  return key === '' ? null : key;
}

const LONGEST_KEY = 255;

type Unpack = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;
const unzipInThread: Unpack = promisify(unzip);
const inflateInThread: Unpack = promisify(inflateRaw);

type Unfold = (bytes: number) => Promise<void>;

/** @throws Problem. */
async function unpacked(
  bytes: Buffer<ArrayBuffer>,
  encoding: string,
  unfold: Unfold,
): Promise<Buffer<ArrayBuffer>> {
  switch (encoding) {
    case 'identity':
      return bytes;
    case 'gzip':
    case 'x-gzip':
      return unpackedBy(unzipInThread, bytes, unfold);
    case 'deflate':
      return unpackedBy(hasZlibHeader(bytes) ? unzipInThread : inflateInThread, bytes, unfold);
    default:
      throw new Problem('unsupported_media_type', 'Content-Encoding must be gzip or deflate, or left out');
  }
}

/** Many devices send deflate without the header that the standard wants (RFC 9110, 8.4.1.2). */
function hasZlibHeader(bytes: Buffer): boolean {
  return bytes.length >= 2 && ((bytes[0] ?? 0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
}

/** A message that stays small needs no room, so it does not wait for large ones. */
async function unpackedBy(unpack: Unpack, bytes: Buffer, unfold: Unfold): Promise<Buffer<ArrayBuffer>> {
  const small = bytes.length > SMALL ? null : await unpackedWithin(SMALL, unpack, bytes);
  if (small !== null) {
    return small;
  }
  await unfold(BODY_LIMIT);
  const whole = await unpackedWithin(BODY_LIMIT, unpack, bytes);
  if (whole === null) {
    throw tooLarge(BODY_LIMIT);
  }
  return whole;
}

/** Null if there are more bytes. @throws Problem `bad_request`. */
async function unpackedWithin(
  maxOutputLength: number,
  unpack: Unpack,
  bytes: Buffer,
): Promise<Buffer<ArrayBuffer> | null> {
  try {
    return Buffer.from(await unpack(bytes, { maxOutputLength }));
  } catch (error) {
    if (error instanceof RangeError) {
      return null;
    }
    throw badRequest('Request body is not compressed as its Content-Encoding says');
  }
}
