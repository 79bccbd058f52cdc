import { MAX_DEPTH } from '../values/limits.ts';

export interface JsonExtent {
  readonly end: number;
  readonly tooDeep: boolean;
  /** True if a number has more digits than a double holds. */
  readonly hasLongNumbers: boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const POINT = 0x2e;

/**
 * Walks over one JSON value from `start`, without recursion or syntax checks, which are left to the parser.
 * Works on bytes: only ASCII matters, and UTF-8 uses no ASCII byte within a character.
 */
export function jsonExtent(bytes: Uint8Array, start: number): JsonExtent {
  let depth = 0;
  let hasLongNumbers = false;
  let at = start;
  while (at < bytes.length) {
    const byte = bytes[at++] ?? 0;
    if (byte === QUOTE) {
      at = endOfString(bytes, at);
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > MAX_DEPTH) {
        return { end: at, tooDeep: true, hasLongNumbers };
      }
      continue;
    } else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1;
    } else if (isDigit(byte) || byte === MINUS) {
      const end = endOfDigits(bytes, at);
      hasLongNumbers ||= end - at >= 15 && isLongNumber(bytes, at - 1, end);
      at = end;
    } else if (depth === 0) {
      at = endOfWord(bytes, at);
    } else {
      continue;
    }
    if (depth <= 0) {
      break;
    }
  }
  return { end: at, tooDeep: false, hasLongNumbers };
}

function endOfString(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at++];
    if (byte === QUOTE) {
      return at;
    }
    if (byte === BACKSLASH) {
      at += 1;
    }
  }
  return bytes.length;
}

/** Offset after the digits and point of a number; the walk skips an exponent, which adds no digits. */
function endOfDigits(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && (isDigit(bytes[at] ?? 0) || bytes[at] === POINT)) {
    at += 1;
  }
  return at;
}

/** True if the digits, read as one integer, exceed 2^53; up to there a double keeps them all. */
function isLongNumber(bytes: Uint8Array, from: number, end: number): boolean {
  let digits = 0;
  for (let at = from; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (isDigit(byte)) {
      digits = digits * 10 + (byte - 0x30);
    }
  }
  return digits > Number.MAX_SAFE_INTEGER;
}

/** Offset after `true`, `null` or anything else outside of brackets. */
function endOfWord(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && !isBlank(bytes[at] ?? 0) && bytes[at] !== 0x7b && bytes[at] !== 0x5b) {
    at += 1;
  }
  return at;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/**
 * Allowed between two values: blanks, line ends, the record separator of JSON text sequences, and the NUL with which C ends
 * a text.
 */
export function isBlank(byte: number): boolean {
  return byte === 0 || byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0x1e;
}
