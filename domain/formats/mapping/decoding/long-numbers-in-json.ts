import { randomUUID } from 'node:crypto';
import { LongNumber } from '../values/long-number.ts';

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
export function parseKeepingDigits(text: string): unknown {
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
