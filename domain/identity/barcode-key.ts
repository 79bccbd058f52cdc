import { hasCheckDigit } from './application-identifiers.ts';
import { parseDigitalLink } from './digital-link.ts';
import { parseBracketed, parseElementString } from './element-string.ts';
import { type Elements, FNC1, gtin14, keyElements } from './gs1-key.ts';
import { keyOf, type Named, namedByUri } from './named.ts';

/**
 * The normal form of a barcode, by which values are matched whoever read them (docs/tracking.md, Which tag): a GS1 key if it
 * names one, else the value without what scanners add to it.
 */
export function barcodeKey(value: string): string {
  const { symbology, text } = trimmed(value);
  const named = namedIn(symbology, text);
  return named === null ? text.replaceAll(FNC1, '') : keyOf(named);
}

/** What a barcode names by GS1's standards; null for any other value. */
export function namedByBarcode(value: string): Named | null {
  const { symbology, text } = trimmed(value);
  return namedIn(symbology, text);
}

function namedIn(symbology: string | null, text: string): Named | null {
  if (text.startsWith('urn:') || text.startsWith('URN:')) {
    return namedByUri(text);
  }
  const elements = elementsIn(symbology, text);
  const key = elements === null ? null : keyElements(elements);
  return key === null ? null : { elements: key, epc: null };
}

/** What AIM's identifier says of a code's kind: `]E0` and the like. FNC1 in front stands for a GS1 code. */
interface Trimmed {
  symbology: string | null;
  text: string;
}

const AIM = /^\]([A-Za-z][0-9])/;
/** GS1-128, GS1 DataMatrix, GS1 QR, GS1 DataBar, GS1 DotCode. */
const GS1_SYMBOLOGIES = new Set(['C1', 'd2', 'Q3', 'e0', 'J1']);

function trimmed(value: string): Trimmed {
  let text = withoutEdges(value);
  const symbology = AIM.exec(text)?.[1] ?? null;
  if (symbology !== null) {
    text = withoutEdges(text.slice(3));
  }
  if (text.startsWith(FNC1)) {
    return { symbology: 'C1', text: withoutEdges(text.slice(1)) };
  }
  return { symbology, text };
}

/** Blanks and control characters at both ends, except FNC1 in front. */
function withoutEdges(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && text[from] !== FNC1 && isEdge(text, from)) {
    from++;
  }
  while (from < to && isEdge(text, to - 1)) {
    to--;
  }
  return from === 0 && to === text.length ? text : text.slice(from, to);
}

function isEdge(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code <= 0x20 || (code >= 0x7f && (code <= 0xa0 || /\s/.test(text[at] ?? '')));
}

function elementsIn(symbology: string | null, text: string): Elements | null {
  if (symbology !== null && GS1_SYMBOLOGIES.has(symbology)) {
    return parseElementString(text) ?? parseOther(text);
  }
  if (/^[0-9]/.test(text)) {
    return gtinIn(symbology, text) ?? (BEGINS_WITH_KEY.test(text) ? parseElementString(text) : null);
  }
  return parseOther(text);
}

function parseOther(text: string): Elements | null {
  switch (text[0]) {
    case '(':
      return parseBracketed(text);
    case 'h':
    case 'H':
      return parseDigitalLink(text);
    default:
      return null;
  }
}

const BEGINS_WITH_KEY = /^(?:0[01]|25[35]|414|80(?:0[346]|1[078]))/;

/** EAN and UPC, ITF-14; or unknown. */
const OF_GTINS = /^[EI]/;

function gtinIn(symbology: string | null, digits: string): Elements | null {
  if (symbology !== null && !OF_GTINS.test(symbology)) {
    return null;
  }
  const gtin = gtin14(symbology === 'E0' && digits.length === 8 ? (upcA(digits) ?? digits) : digits);
  return gtin === null ? null : new Map([['01', gtin]]);
}

/** The 12 digits of UPC-A that the 8 of a UPC-E stand for; null if it is none. */
export function upcA(digits: string): string | null {
  const parts = /^([01])([0-9]{5})([0-9])([0-9])$/.exec(digits);
  if (parts === null) {
    return null;
  }
  const [, system = '', body = '', last = '', check = ''] = parts;
  const expanded = system + expandedBody(body, last) + check;
  return hasCheckDigit(expanded) ? expanded : null;
}

function expandedBody(body: string, last: string): string {
  switch (last) {
    case '0':
    case '1':
    case '2':
      return `${body.slice(0, 2)}${last}0000${body.slice(2)}`;
    case '3':
      return `${body.slice(0, 3)}00000${body.slice(3)}`;
    case '4':
      return `${body.slice(0, 4)}00000${body.slice(4)}`;
    default:
      return `${body}0000${last}`;
  }
}
