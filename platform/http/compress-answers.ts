import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { constants, createGzip, gzip } from 'node:zlib';
import type Koa from 'koa';
import type { Middleware } from 'koa';

/** Bytes from which it is worth it: a shorter answer fits a packet. */
const WORTH_BYTES = 1_024;

/**
 * Answers compressed at a time, and as many streams, in Node.js's four threads, which passwords and name look-ups share.
 */
const MOST_AT_ONCE = 2;

/**
 * The tree of 10,000 locations, 540 kB: 99 kB in 1.7 ms of a processor; at level 6, 86 kB in 8 ms. With half the window
 * and tables a page of 200 assets takes 226 us instead of 264, and is no longer.
 */
const OPTIONS = { level: constants.Z_BEST_SPEED, windowBits: 14, memLevel: 7 };

/** Bytes that a stream gives at a time. */
const CHUNK = 65_536;

/**
 * Compresses JSON (and YAML) answers to GET off the event loop, once for all who share an answer. Nobody waits for a turn:
 * while others are being compressed, an answer goes out uncompressed. Answers to other methods are left alone: they
 * show secrets once, and their length must not reveal them (BREACH). So are encoded answers. Streams are compressed as they
 * are read: a piece at a time is in memory, and a slow reader keeps its place among streams.
 */
export function compressAnswers(): Middleware {
  const copies = new WeakMap<Buffer, Promise<Buffer>>();
  let underWay = 0;
  let streams = 0;
  const compressed = (bytes: string | Buffer): Promise<Buffer> | null => {
    const known = typeof bytes === 'string' ? undefined : copies.get(bytes);
    if (known !== undefined || underWay >= MOST_AT_ONCE) {
      return known ?? null;
    }
    underWay += 1;
    const copy = promisify(gzip)(bytes, OPTIONS).finally(() => {
      underWay -= 1;
    });
    if (typeof bytes !== 'string') {
      copies.set(bytes, copy);
    }
    return copy;
  };
  const throughGzip = (stream: Readable): Readable | null => {
    if (streams >= MOST_AT_ONCE) {
      return null;
    }
    streams += 1;
    return pipeline(stream, createGzip({ ...OPTIONS, chunkSize: CHUNK }), () => {
      streams -= 1;
    });
  };
  return async (koa, next) => {
    await next();
    const { body } = koa;
    if (!isWorthIt(koa, body) || koa.res.hasHeader('Content-Encoding')) {
      return;
    }
    if (encodingFor(koa, { gzip: body }) !== 'gzip') {
      return;
    }
    const copy = body instanceof Readable ? throughGzip(body) : await compressed(body);
    if (copy !== null) {
      koa.set('Content-Encoding', 'gzip');
      // Of equal content, not of equal bytes.
      const etag = koa.res.getHeader('ETag');
      if (typeof etag === 'string' && etag.startsWith('"')) {
        koa.set('ETag', `W/${etag}`);
      }
      koa.body = copy;
    }
  };
}

function isWorthIt({ method, response }: Koa.Context, body: unknown): body is string | Buffer | Readable {
  const isLong =
    body instanceof Readable ||
    ((typeof body === 'string' || Buffer.isBuffer(body)) && body.length >= WORTH_BYTES);
  return (
    isLong &&
    (method === 'GET' || method === 'HEAD') &&
    (response.type === 'application/json' || response.type === 'application/yaml')
  );
}

/**
 * True if `If-None-Match` names the answer's ETag, whatever `Cache-Control` says: `fetch` always adds `no-cache`. Then `Vary` is set as
 * it may be on the answer, since caches take it from the 304.
 */
export function isKnown(koa: Koa.Context): boolean {
  const [etag, ...given] = [koa.response.get('ETag'), ...koa.get('If-None-Match').split(',')].map((tag) =>
    tag.trim().replace(/^W\//, ''),
  );
  const isGiven = given.some((tag) => tag === etag || tag === '*');
  if (isGiven) {
    koa.vary('Accept-Encoding');
  }
  return isGiven;
}

/** The better one first: browsers take both as gladly. */
const ENCODINGS = ['br', 'gzip'] as const;

export type Encoding = (typeof ENCODINGS)[number];

/**
 * The best available encoding that the caller takes; null for none. If there is any, `Vary` tells caches that others
 * may get another.
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
