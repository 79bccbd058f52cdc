import { LongNumber } from './long-number.ts';

const CONTROL = /\p{Cc}/gu;

/**
 * Cleans `text` for a reason or an excerpt: at most `limit` UTF-16 units, without control characters and lone
 * surrogates, which a text column might refuse.
 */
export function printable(text: string, limit: number): string {
  const cut = text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
  return cut.replace(CONTROL, ' ').toWellFormed();
}

/** The value as JSON, truncated to 500 UTF-16 units, to show a rejected value. */
export function excerptOf(value: unknown): string {
  return printable(JSON.stringify(beginningOf(value, 500)) ?? 'nothing', 500);
}

/** A value to show beside a read: a number, or a short text. */
export function asGiven(value: unknown): number | string {
  if (typeof value === 'number') {
    return value;
  }
  return typeof value === 'string' ? printable(value, 80) : shown(value);
}

/** Short form of a value for a reason; text is quoted. */
export function shown(value: unknown): string {
  if (typeof value === 'string') {
    return printable(JSON.stringify(value.slice(0, 80)), 80);
  }
  if (value instanceof LongNumber) {
    return printable(LongNumber.text(value), 80);
  }
  // Not serialized whole: one large object may be the reason for each of many items.
  if (typeof value === 'object' && value !== null) {
    return Array.isArray(value) ? '(an array)' : '(an object)';
  }
  return String(value);
}

/**
 * The beginning of a decoded value, enough for the first `limit` UTF-16 units of its JSON. Writing a million empty
 * fields completely, to show 500 letters, took 60 ms.
 */
export function beginningOf(value: unknown, limit: number): unknown {
  let left = limit;

  const copy = (part: unknown): unknown => {
    left--;
    if (typeof part === 'string') {
      return part.slice(0, limit + 1);
    }
    if (part instanceof LongNumber) {
      return LongNumber.text(part).slice(0, limit + 1);
    }
    if (Array.isArray(part)) {
      return copyArray(part);
    }
    return typeof part === 'object' && part !== null ? copyObject(part) : part;
  };

  const copyArray = (part: readonly unknown[]) => {
    const copied: unknown[] = [];
    for (let at = 0; at < part.length && left > 0; at++) {
      copied.push(copy(part[at]));
    }
    return copied;
  };

  const copyObject = (part: object) => {
    const copied: [string, unknown][] = [];
    for (const key in part) {
      if (left <= 0) {
        break;
      }
      copied.push([key.slice(0, limit + 1), copy((part as Record<string, unknown>)[key])]);
    }
    return Object.fromEntries(copied);
  };

  return copy(value);
}
