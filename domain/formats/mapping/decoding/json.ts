import { randomUUID } from 'node:crypto';
import { append } from '../../../../base/append.ts';
import { messageOf } from '../../../../base/errors.ts';
import { MAX_DEPTH, MAX_ITEMS } from '../values/limits.ts';
import { LongNumber } from '../values/long-number.ts';
import { printable } from '../values/printable.ts';
import { Allowance, DecodingFault, withUnit } from './allowance.ts';
import type { Decoded } from './decoded.ts';

/** One JSON object or array. Broken JSON is not tried as anything else. */
export function decodeJson(whole: Buffer): Decoded {
  const payload = upToBlanks(whole);
  const start = afterByteOrderMark(payload);
  const first = skipBlanks(payload, start);
  const { end, tooDeep, hasLongNumbers } = jsonExtent(payload, first);
  if (tooDeep) {
    return { fault: `payload is nested deeper than ${MAX_DEPTH} levels`, final: true };
  }
  const fault = faultOfWeight(payload.subarray(first, end));
  if (fault !== null) {
    return { fault, final: true };
  }
  const decoded = parse(payload.toString('utf8', start), hasLongNumbers);
  return 'fault' in decoded && opensBracket(payload[first]) ? { ...decoded, final: true } : decoded;
}

function opensBracket(byte: number | undefined): boolean {
  return byte === 0x7b || byte === 0x5b;
}

/**
 * Consecutive JSON values, with or without blanks between them. If one is broken, the values before it count, and the
 * rest is returned as undecodable.
 */
export function decodeJsonStream(whole: Buffer): Decoded {
  const payload = upToBlanks(whole);
  const documents: unknown[] = [];
  let at = skipBlanks(payload, afterByteOrderMark(payload));
  const weight = faultOfWeight(payload);
  if (weight !== null) {
    return { fault: weight, final: true };
  }
  while (at < payload.length) {
    const { end, tooDeep, hasLongNumbers } = jsonExtent(payload, at);
    if (tooDeep) {
      return { fault: `payload is nested deeper than ${MAX_DEPTH} levels`, final: true };
    }
    const decoded = parse(payload.toString('utf8', at, end), hasLongNumbers);
    if ('fault' in decoded) {
      const rest = {
        reason: decoded.fault,
        excerpt: printable(payload.toString('utf8', at, at + 2_000), 500),
      };
      return documents.length === 0 ? decoded : { documents, rest };
    }
    append(documents, decoded.documents);
    if (documents.length > MAX_ITEMS) {
      return { fault: `payload has more than ${MAX_ITEMS} documents`, final: true };
    }
    at = skipBlanks(payload, end);
  }
  return documents.length === 0 ? { fault: 'payload is empty', final: false } : { documents };
}

function parse(text: string, hasLongNumbers: boolean): Decoded {
  let value: unknown;
  try {
    value = hasLongNumbers ? parseKeepingDigits(text) : JSON.parse(text);
  } catch (error) {
    return { fault: `payload is not JSON: ${printable(messageOf(error), 200)}`, final: false };
  }
  if (typeof value !== 'object' || value === null || value instanceof LongNumber) {
    return { fault: 'payload is JSON, but neither an object nor an array', final: false };
  }
  return { documents: [value] };
}

/** Without the blanks behind it, NULs among them. */
function upToBlanks(payload: Buffer): Buffer {
  let end = payload.length;
  while (end > 0 && isBlank(payload[end - 1] ?? 0)) {
    end -= 1;
  }
  return payload.subarray(0, end);
}

function afterByteOrderMark(payload: Buffer): number {
  return payload[0] === 0xef && payload[1] === 0xbb && payload[2] === 0xbf ? 3 : 0;
}

function skipBlanks(payload: Buffer, from: number): number {
  let at = from;
  while (at < payload.length && isBlank(payload[at] ?? 0)) {
    at += 1;
  }
  return at;
}

interface JsonExtent {
  readonly end: number;
  readonly tooDeep: boolean;
  /** True if a number has more digits than a double holds. */
  readonly hasLongNumbers: boolean;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const POINT = 0x2e;

/**
 * Walks over one JSON value from `start`, without recursion or syntax checks, which are left to the parser.
 * Works on bytes: only ASCII matters, and UTF-8 uses no ASCII byte within a character.
 */
function jsonExtent(bytes: Uint8Array, start: number): JsonExtent {
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

/** Why a payload would take more memory than it may; null if it would not. */
function faultOfWeight(bytes: Uint8Array): string | null {
  const allowance = new Allowance(bytes.length);
  try {
    if (allowance.isLarge) {
      weigh(bytes, allowance);
    }
    return null;
  } catch (error) {
    if (error instanceof DecodingFault) {
      return `payload is JSON, but ${error.message}`;
    }
    throw error;
  }
}

/** Walks over JSON values as {@link jsonExtent} does, and counts the bytes that the engine takes for them. */
function weigh(bytes: Uint8Array, allowance: Allowance): void {
  // How many members each open object has, -1 for an array, and a hash of their keys.
  const members = new Int32Array(MAX_DEPTH + 1).fill(-1);
  const shapes = new Int32Array(MAX_DEPTH + 1);
  let depth = 0;
  let isKey = false;
  let at = 0;
  allowance.take(bytes.length);
  while (at < bytes.length) {
    const byte = bytes[at++] ?? 0;
    const count = members[depth] ?? -1;
    if (byte === QUOTE && isKey) {
      const end = endOfString(bytes, at);
      const shape = hashOfKey(bytes, at, end, shapes[depth] ?? 0);
      shapes[depth] = shape;
      members[depth] = count + 1;
      allowance.shape(count, shape, { length: end - 1 - at, first: bytes[at] ?? 0 });
      isKey = false;
      at = end;
    } else if (byte === QUOTE) {
      const end = endOfString(bytes, at);
      allowance.take(TEXT + widthOf(bytes, at, end) * (end - at));
      at = end;
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > MAX_DEPTH) {
        // It is rejected as too deep.
        return;
      }
      isKey = byte === 0x7b;
      members[depth] = isKey ? 0 : -1;
      shapes[depth] = 0;
      allowance.take(isKey ? OBJECT : ARRAY);
    } else if (byte === 0x7d || byte === 0x5d) {
      allowance.take(count === 0 ? EMPTY : 0);
      depth = Math.max(depth - 1, 0);
      isKey = false;
    } else if (byte === COMMA) {
      isKey = count !== -1;
      allowance.take(SLOT);
    } else if (isDigit(byte)) {
      const end = endOfDigits(bytes, at);
      allowance.take(bytesOfNumber(bytes, at - 1, end));
      at = end;
    }
  }
}

/** What the engine takes for one, in bytes, as measured with payloads of 1 MiB of each kind. */
const OBJECT = 40;
/** More for an object without members. */
const EMPTY = 24;
const ARRAY = 56;
const SLOT = 8;
const TEXT = 16;
const DOUBLE = 16;
/** A {@link LongNumber}, while it is made. */
const LONG = 320;

function hashOfKey(bytes: Uint8Array, from: number, end: number, shape: number): number {
  let hash = shape;
  for (let at = from; at < end; at += 1) {
    hash = withUnit(hash, bytes[at] ?? 0);
  }
  return hash;
}

function bytesOfNumber(bytes: Uint8Array, from: number, end: number): number {
  if (end - from > 15 && isLongNumber(bytes, from, end)) {
    return LONG;
  }
  if (end - from >= 10) {
    return DOUBLE;
  }
  // To make a view of each number's bytes would take as long as all the rest.
  for (let at = from; at < end; at += 1) {
    if (bytes[at] === POINT) {
      return DOUBLE;
    }
  }
  return 0;
}

/** Bytes of each character of a text: two if one of them is beyond Latin-1. */
function widthOf(bytes: Uint8Array, from: number, end: number): number {
  for (let at = from; at < end; at += 1) {
    if ((bytes[at] ?? 0) > 0xc3) {
      return 2;
    }
  }
  return 1;
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
function isBlank(byte: number): boolean {
  return byte === 0 || byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0x1e;
}

/**
 * Parses JSON, keeping the digits of numbers that a double would round.
 *
 * Such numbers are first turned into strings with an unguessable prefix, and back afterwards. A reviver, the engine's
 * own way, is called for every value: 250 ms for a payload of small integers and a single long one, during which no
 * other reader is served; this takes 30.
 *
 * @param text of bounded nesting.
 * @throws SyntaxError if it is not JSON.
 */
function parseKeepingDigits(text: string): unknown {
  return withLongNumbers(
    JSON.parse(text.replace(STRING_OR_LONG, (found) => (isLong(found) ? marked(found) : found))),
  );
}

/** Strings, so that digits in them are passed over; an unclosed one is to the end, also behind a backslash. */
const STRING_OR_LONG = /"(?:[^"\\]|\\[\s\S]?)*(?:"|$)|-?\d[\d.]{14,}(?:[eE][+-]?\d+)?/g;
const PREFIX = `${randomUUID()}:`;

function marked(number: string): string {
  // Invalid numbers must not become valid JSON strings.
  return NUMBER.test(number) ? `"${PREFIX}${number}"` : number;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function isLong(found: string): boolean {
  return (
    found[0] !== '"' &&
    found.length > 15 &&
    Number(found.replace(/[eE].*$|\D/g, '')) > Number.MAX_SAFE_INTEGER
  );
}

function withLongNumbers(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.startsWith(PREFIX) ? new LongNumber(value.slice(PREFIX.length)) : value;
  }
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const item: unknown = value[at];
      if (typeof item === 'string' || typeof item === 'object') {
        value[at] = withLongNumbers(item);
      }
    }
  } else if (typeof value === 'object' && value !== null) {
    const object = value as Record<string, unknown>;
    for (const key of Object.keys(object)) {
      const member = object[key];
      if (typeof member === 'object' || (typeof member === 'string' && member.startsWith(PREFIX))) {
        const replaced = withLongNumbers(member);
        if (replaced !== member) {
          Object.defineProperty(object, key, {
            value: replaced,
            enumerable: true,
            configurable: true,
            writable: true,
          });
        }
      }
    }
  }
  return value;
}
