import { beginningOf } from './beginning.ts';
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

/** The value as JSON, truncated to 500 UTF-16 units, to show what was rejected. */
export function excerptOf(value: unknown): string {
  return printable(JSON.stringify(beginningOf(value, 500)) ?? 'nothing', 500);
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
