import type Koa from 'koa';

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
