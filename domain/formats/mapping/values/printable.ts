import { LongNumber } from './long-number.ts';

const CONTROL = /\p{Cc}/gu;

/**
 * `text` fit for a reason or an excerpt: at most `limit` UTF-16 units, without control characters and lone surrogates,
 * which a text column need not accept.
 */
export function printable(text: string, limit: number): string {
  const cut = text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
  return cut.replace(CONTROL, ' ').toWellFormed();
}

/** The beginning of `value` as JSON, at most 500 UTF-16 units, for people to see what was rejected. */
export function excerptOf(value: unknown): string {
  return printable(asJson(value), 500);
}

/** `value` for a reason: short, and quoted if it is text. */
export function shown(value: unknown): string {
  if (typeof value === 'string') {
    return printable(JSON.stringify(value.slice(0, 80)), 80);
  }
  if (value instanceof LongNumber) {
    return printable(LongNumber.text(value), 80);
  }
  // Not written out: one large object may be the reason for each of many items.
  if (typeof value === 'object' && value !== null) {
    return Array.isArray(value) ? '(an array)' : '(an object)';
  }
  return String(value);
}

function asJson(value: unknown): string {
  const json = JSON.stringify(value, (_key, member) =>
    member instanceof LongNumber ? LongNumber.text(member) : member,
  );
  return json ?? 'nothing';
}
