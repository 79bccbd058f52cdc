import { MAX_ITEMS } from '../values/limits.ts';
import type { Decoded } from './decoded.ts';

/** The lines of a text, blank ones left out, as one array. */
export function decodeLines(payload: Buffer): Decoded {
  const lines: string[] = [];
  const text = payload.toString('utf8');
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at);
    const line = trimmed(text.slice(at, end === -1 ? text.length : end));
    if (line !== '') {
      lines.push(line);
    }
    if (lines.length > MAX_ITEMS) {
      return { fault: `payload has more than ${MAX_ITEMS} lines`, final: true };
    }
    at = end === -1 ? text.length : end + 1;
  }
  return lines.length === 0 ? { fault: 'payload is empty', final: false } : { documents: [lines] };
}

/** Without blanks around it, and the NULs with which C ends a text. */
export function trimmed(text: string): string {
  return withoutNuls(text.trim()).trim();
}

function withoutNuls(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0) {
    end -= 1;
  }
  return text.slice(0, end);
}

const LINE_END = /\r?\n$/;
const BYTE_ORDER_MARK = /^\ufeff/;

/**
 * The payload as one text, without the line end that barcode scanners put after it, NULs around that, and a byte order mark.
 */
export function decodeText(payload: Buffer): Decoded {
  const text = withoutNuls(withoutNuls(payload.toString('utf8')).replace(LINE_END, '')).replace(
    BYTE_ORDER_MARK,
    '',
  );
  return text === '' ? { fault: 'payload is empty', final: false } : { documents: [text] };
}

/** The payload's bytes as upper-case hex digits. */
export function decodeBytes(payload: Buffer): Decoded {
  return payload.length === 0
    ? { fault: 'payload is empty', final: false }
    : { documents: [payload.toString('hex').toUpperCase()] };
}

/**
 * Splits a line of separated values. A quoted field ends at the next quote that is not doubled (RFC 4180,
 * section 2). Unbalanced quotes, which devices send, are tolerated; CSV parsers reject them, and their set-up
 * per line takes 100 times as long.
 */
export function splitFields(line: string, separator: string): string[] {
  if (!line.includes('"')) {
    return line.split(separator);
  }
  const fields: string[] = [];
  let at = 0;
  while (at <= line.length) {
    const quoted = line[at] === '"';
    const close = quoted ? closingQuote(line, at + 1) : at;
    const end = line.indexOf(separator, close);
    const field = line.slice(quoted ? at + 1 : at, quoted ? close : end === -1 ? line.length : end);
    fields.push(quoted ? field.replaceAll('""', '"') : field);
    at = end === -1 ? line.length + 1 : end + 1;
  }
  return fields;
}

function closingQuote(line: string, from: number): number {
  let at = line.indexOf('"', from);
  while (at !== -1 && line[at + 1] === '"') {
    at = line.indexOf('"', at + 2);
  }
  return at === -1 ? line.length : at;
}
