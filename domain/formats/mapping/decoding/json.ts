import { append } from '../../../../base/append.ts';
import { messageOf } from '../../../../base/errors.ts';
import { MAX_DEPTH, MAX_ITEMS } from '../values/limits.ts';
import { LongNumber } from '../values/long-number.ts';
import { printable } from '../values/printable.ts';
import type { Decoded } from './decoded.ts';
import { isBlank, jsonExtent } from './json-extent.ts';
import { parseKeepingDigits } from './long-numbers-in-json.ts';

/** One JSON object or array. Broken JSON is not tried as anything else. */
export function decodeJson(whole: Buffer): Decoded {
  const payload = upToBlanks(whole);
  const start = afterByteOrderMark(payload);
  const { tooDeep, hasLongNumbers } = jsonExtent(payload, start);
  if (tooDeep) {
    return { fault: `payload is nested deeper than ${MAX_DEPTH} levels`, final: true };
  }
  const decoded = parse(payload.toString('utf8', start), hasLongNumbers);
  return 'fault' in decoded && opensBracket(payload[skipBlanks(payload, start)])
    ? { ...decoded, final: true }
    : decoded;
}

function opensBracket(byte: number | undefined): boolean {
  return byte === 0x7b || byte === 0x5b;
}

/**
 * Consecutive JSON values, with or without blanks between them. If one is broken, those before it count, and the rest
 * is returned as undecodable.
 */
export function decodeJsonStream(whole: Buffer): Decoded {
  const payload = upToBlanks(whole);
  const documents: unknown[] = [];
  let at = skipBlanks(payload, afterByteOrderMark(payload));
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
