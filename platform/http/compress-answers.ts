import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type Koa from 'koa';
import type { Middleware } from 'koa';

/** Bytes of an answer that is worth it: below, a packet or two are saved. */
const WORTH_BYTES = 8_192;

/** Answers compressed at a time, in Node.js's four threads, which passwords and name look-ups share. */
const MOST_AT_ONCE = 2;

/** The tree of 10,000 locations, 540 kB: 99 kB in 1.7 ms of a processor; at level 6, 86 kB in 8 ms. */
const LEVEL = constants.Z_BEST_SPEED;

/**
 * Compresses large JSON answers to GET off the event loop, once for all who share an answer. Nobody waits for a turn:
 * while others are being compressed, an answer goes out uncompressed. Answers to other methods are left alone: they
 * show secrets once, and their length must not reveal them (BREACH). So are streams and encoded answers.
 */
export function compressAnswers(): Middleware {
  const copies = new WeakMap<Buffer, Promise<Buffer>>();
  let underWay = 0;
  const compressed = (bytes: Buffer): Promise<Buffer> | null => {
    const known = copies.get(bytes);
    if (known !== undefined || underWay >= MOST_AT_ONCE) {
      return known ?? null;
    }
    underWay += 1;
    const copy = promisify(gzip)(bytes, { level: LEVEL }).finally(() => {
      underWay -= 1;
    });
    copies.set(bytes, copy);
    return copy;
  };
  return async (koa, next) => {
    await next();
    const { body } = koa;
    if (!isWorthIt(koa.method, koa.type, body) || koa.res.hasHeader('Content-Encoding')) {
      return;
    }
    const copy = encodingFor(koa, { gzip: body }) === 'gzip' ? await compressed(body) : null;
    if (copy !== null) {
      koa.set('Content-Encoding', 'gzip');
      koa.body = copy;
    }
  };
}

function isWorthIt(method: string, type: string, body: unknown): body is Buffer {
  return (
    (method === 'GET' || method === 'HEAD') &&
    type === 'application/json' &&
    Buffer.isBuffer(body) &&
    body.length >= WORTH_BYTES
  );
}

/** The better one first: browsers take both as gladly. */
const ENCODINGS = ['br', 'gzip'] as const;

export type Encoding = (typeof ENCODINGS)[number];

/**
 * The best of the encodings that there are and the caller takes; null for none. Where there is any, `Vary` tells caches
 * that other callers may get another.
 */
export function encodingFor(
  koa: Koa.Context,
  available: Readonly<Partial<Record<Encoding, unknown>>>,
): Encoding | null {
  const there = ENCODINGS.filter((encoding) => available[encoding] !== undefined);
  if (there.length > 0) {
    koa.vary('Accept-Encoding');
  }
  return there.find((encoding) => koa.acceptsEncodings(encoding) === encoding) ?? null;
}
