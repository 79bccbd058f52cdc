import { decompressed } from './compressed-link.ts';
import {
  areValid,
  type Elements,
  FNC1,
  gtin14,
  hasCheckDigit,
  identifierAt,
  identifierNamed,
  isKey,
  isValueOf,
  keyElements,
  QUALIFIERS,
} from './gs1-elements.ts';
import { keyOf, type Named, namedByUri } from './named.ts';

/**
 * The normal form of a barcode, by which values match whoever read them (docs/tracking.md, Which tag): its GS1 key if
 * it has one, else the value without what scanners add.
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

/** The kind of a code by AIM's identifier, such as `]E0`. A leading FNC1 means a GS1 code. */
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

/** A scanned element string, with FNC1 where a value of variable length ends before the end. Null if any of it is no element. */
function parseElementString(text: string): Elements | null {
  const elements = new Map<string, string>();
  let at = 0;
  while (at < text.length) {
    const ai = identifierAt(text, at);
    const identifier = ai === null ? undefined : identifierNamed(ai);
    if (ai === null || identifier === undefined) {
      return null;
    }
    at += ai.length;
    const next = text.indexOf(FNC1, at);
    const end = Math.min(next < 0 ? text.length : next, at + identifier.most);
    const value = text.slice(at, end);
    if (!isValueOf(identifier, value) || !addTo(elements, ai, value)) {
      return null;
    }
    at = text[end] === FNC1 ? end + 1 : end;
  }
  return elements.size === 0 ? null : elements;
}

/** An element string for people, with its identifiers in parentheses. */
function parseBracketed(text: string): Elements | null {
  const elements = new Map<string, string>();
  const marks = [...text.matchAll(MARK)].filter(([, ai = '']) => identifierNamed(ai) !== undefined);
  if (marks[0]?.index !== 0) {
    return null;
  }
  for (const [index, { 0: mark, 1: ai = '', index: at }] of marks.entries()) {
    const value = text.slice(at + mark.length, marks[index + 1]?.index).trim();
    const identifier = identifierNamed(ai);
    if (identifier === undefined || !isValueOf(identifier, value) || !addTo(elements, ai, value)) {
      return null;
    }
  }
  return elements;
}

const MARK = /\(([0-9]{2,4})\)/g;

/** @returns false if it is there with another value. */
function addTo(elements: Map<string, string>, ai: string, value: string): boolean {
  const before = elements.get(ai);
  elements.set(ai, value);
  return before === undefined || before === value;
}

/** Names that version 1.1 of the standard had for identifiers. */
const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    gtin: '01',
    itip: '8006',
    cpid: '8010',
    gln: '414',
    gsrn: '8018',
    gsrnp: '8017',
    sscc: '00',
    gdti: '253',
    gcn: '255',
    grai: '8003',
    giai: '8004',
    lot: '10',
    ser: '21',
    cpv: '22',
    glnx: '254',
    cpsn: '8011',
    srin: '8019',
  }),
);

const LINK = /^https?:\/\/[^/?#]+\/([^?#]*)/i;

/** The elements in the path of a GS1 Digital Link of any domain; null if it is none. */
function parseDigitalLink(text: string): Elements | null {
  const path = LINK.exec(text)?.[1];
  if (path === undefined) {
    return null;
  }
  const segments = path.replace(/\/$/, '').split('/');
  // The key and what completes it end the path.
  for (let at = segments.length - 2; at >= 0; at -= 2) {
    const ai = identifierOf(segments[at]);
    if (isKey(ai)) {
      return elementsOfLink(ai, segments.slice(at));
    }
  }
  return elementsOfCompressedLink(segments);
}

/** All elements are compressed, or all but the key in front. */
function elementsOfCompressedLink(segments: readonly string[]): Elements | null {
  const elements = decompressed(segments.at(-1) ?? '');
  if (elements === null || [...elements.keys()].some(isKey)) {
    return elements;
  }
  const ai = identifierOf(segments.at(-3));
  const key = isKey(ai) ? elementsOfLink(ai, segments.slice(-3, -1)) : null;
  return key === null ? null : new Map([...key, ...elements]);
}

function elementsOfLink(key: string, segments: readonly string[]): Elements | null {
  const elements = new Map<string, string>();
  for (let at = 0; at < segments.length; at += 2) {
    const ai = identifierOf(segments[at]);
    const value = decoded(segments[at + 1]);
    const isHere = at === 0 || QUALIFIERS.get(key)?.includes(ai) === true;
    if (value === null || !isHere || elements.has(ai)) {
      return null;
    }
    elements.set(ai, ai === '01' ? (gtin14(value) ?? value) : value);
  }
  return areValid(elements) ? elements : null;
}

function identifierOf(segment = ''): string {
  return NAMES.get(segment) ?? segment;
}

function decoded(segment = ''): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
