import { decodeEpc, type EpcKind, type Values } from './epc.ts';
import { areValid, checkDigit, type Elements, FNC1, matchingKey } from './gs1-elements.ts';

/** The thing that a value names: by the elements of a GS1 key, or by an EPC scheme without one. */
export interface Named {
  elements: Elements | null;
  /** Null if the notation is not an EPC. */
  epc: { kind: EpcKind; values: Values } | null;
}

/** The matching key: the element string, or the URI of an EPC without a GS1 key. */
export function keyOf(named: Named): string {
  return named.elements === null ? `${FNC1}${epcUri(named)}` : matchingKey(named.elements);
}

/** The pure identity URI; null if the notation does not say how long the prefix of the company is. */
function epcUri({ epc }: Named): string | null {
  return epc === null ? null : uriOf(epc.kind, epc.values);
}

/** @param hex upper-case digits. */
export function namedByEpc(hex: string): Named | null {
  const epc = decodeEpc(hex);
  if (epc === null) {
    return null;
  }
  const { scheme, values } = epc;
  // Schemes of version 2 have whole keys, of which any digit may be the last; serial numbers of parts may be too long.
  const isSure = !scheme.hasToggle && scheme.kind !== 'cpi';
  return named(scheme.kind, values, (isSure ? knownElements : elementsOf)(scheme.kind, values));
}

export function namedByUri(uri: string): Named | null {
  const parsed = parseEpcUri(uri);
  return parsed === null ? null : named(parsed.kind, parsed.values, elementsOf(parsed.kind, parsed.values));
}

function named(kind: EpcKind, values: Values, elements: Elements | null): Named | null {
  return elements === null && !OTHERS.has(kind) ? null : { elements, epc: { kind, values } };
}

/** Schemes whose EPCs name things by no GS1 key. */
const OTHERS: ReadonlySet<EpcKind> = new Set(['gid', 'usdod', 'adi']);

/** The names of a value's thing in notations that other systems accept. */
export interface Identifiers {
  /** Values by application identifier; null without a GS1 key. */
  gs1: Record<string, string> | null;
  /** Canonical, below GS1's own resolver. */
  digital_link: string | null;
  /** Null if nobody knows how long the prefix of the company is. */
  epc_uri: string | null;
}

export function identifiersOf(value: Named): Identifiers {
  const { elements } = value;
  const path = [...(elements ?? [])].map(([ai, value]) => `/${ai}/${encodeURIComponent(value)}`);
  return {
    gs1: elements === null ? null : Object.fromEntries(elements),
    digital_link: elements === null ? null : `https://id.gs1.org${path.join('')}`,
    epc_uri: epcUri(value),
  };
}

/** How a GS1 key is made of the prefix of a company, a reference and a check digit. */
interface Form {
  /** Application identifiers of the key and of its serial number, null where that is part of the key. */
  ai: string;
  serialAi: string | null;
  /** The first digit of the reference stands in front of the prefix. */
  isIndicatorFirst: boolean;
  /** Digits of prefix and reference; null for any number of characters without a check digit. */
  digits: number | null;
  /** In front of the key. */
  before: string;
}

function form(
  ai: string,
  digits: number | null,
  serialAi: string | null = null,
  more: Partial<Form> = {},
): Form {
  return { ai, digits, serialAi, isIndicatorFirst: false, before: '', ...more };
}

const FORMS: Partial<Record<EpcKind, Form>> = {
  sgtin: form('01', 13, '21', { isIndicatorFirst: true }),
  sscc: form('00', 17, null, { isIndicatorFirst: true }),
  sgln: form('414', 12, '254'),
  grai: form('8003', 12, null, { before: '0' }),
  giai: form('8004', null),
  gsrn: form('8018', 17),
  gsrnp: form('8017', 17),
  gdti: form('253', 12),
  cpi: form('8010', null, '8011'),
  sgcn: form('255', 12),
  itip: form('8006', 13, '21', { isIndicatorFirst: true }),
};

/** The parts of a pure identity URI, in order. */
const PARTS: Record<EpcKind, readonly string[]> = {
  sgtin: ['prefix', 'reference', 'serial'],
  sscc: ['prefix', 'reference'],
  sgln: ['prefix', 'reference', 'serial'],
  grai: ['prefix', 'reference', 'serial'],
  giai: ['prefix', 'reference'],
  gsrn: ['prefix', 'reference'],
  gsrnp: ['prefix', 'reference'],
  gdti: ['prefix', 'reference', 'serial'],
  cpi: ['prefix', 'reference', 'serial'],
  sgcn: ['prefix', 'reference', 'serial'],
  itip: ['prefix', 'reference', 'piece', 'total', 'serial'],
  gid: ['manager', 'class', 'serial'],
  usdod: ['owner', 'serial'],
  adi: ['owner', 'part', 'serial'],
};

/** The GS1 key that an EPC's values name; null if it is invalid, or the scheme has none. */
export function elementsOf(kind: EpcKind, values: Values): Elements | null {
  const elements = knownElements(kind, values);
  return elements !== null && areValid(elements) ? elements : null;
}

/** {@link elementsOf} values whose fields cannot be anything else, in half the time. */
function knownElements(kind: EpcKind, values: Values): Elements | null {
  const form = FORMS[kind];
  if (form === undefined) {
    return null;
  }
  const { serial = '' } = values;
  const key =
    (values['key'] ?? composedKey(form, values)) +
    (values['pieces'] ?? `${values['piece'] ?? ''}${values['total'] ?? ''}`);
  const elements = new Map<string, string>();
  elements.set(form.ai, form.serialAi === null ? key + serial : key);
  // Locations without an extension have 0 in its place.
  if (form.serialAi !== null && serial !== '' && !(kind === 'sgln' && serial === '0')) {
    elements.set(form.serialAi, serial);
  }
  return elements;
}

function composedKey(
  { isIndicatorFirst, digits, before }: Form,
  { prefix = '', reference = '' }: Values,
): string {
  const key = isIndicatorFirst ? reference.slice(0, 1) + prefix + reference.slice(1) : prefix + reference;
  return before + key + (digits === null ? '' : checkDigit(key));
}

/** The pure identity URI of an EPC's values; null if they do not say how long the prefix of the company is. */
export function uriOf(kind: EpcKind, values: Values): string | null {
  const parts = PARTS[kind].map((name) => values[name]);
  return parts.includes(undefined)
    ? null
    : `urn:epc:id:${kind}:${parts.map((part = '') => escaped(part)).join('.')}`;
}

const URI = /^urn:epc:id:([a-z]+):([^\s]+)$/i;

/** What an EPC URI of a tag says; null if it is none. */
export function parseEpcUri(uri: string): { kind: EpcKind; values: Values } | null {
  const [, scheme = '', rest = ''] = URI.exec(uri) ?? [];
  const kind = scheme.toLowerCase() as EpcKind;
  const names = Object.hasOwn(PARTS, kind) ? PARTS[kind] : [];
  const texts = splitUri(rest, names.length).map(unescaped);
  if (names.length === 0 || texts.length !== names.length || texts.includes(null)) {
    return null;
  }
  const values = Object.fromEntries(names.map((name, index) => [name, texts[index] ?? '']));
  return isWhole(kind, values) ? { kind, values } : null;
}

/** Only the last part, a serial number, may contain a point. */
function splitUri(text: string, count: number): string[] {
  const parts = text.split('.');
  return parts.length <= count ? parts : [...parts.slice(0, count - 1), parts.slice(count - 1).join('.')];
}

function isWhole(kind: EpcKind, values: Values): boolean {
  const form = FORMS[kind];
  const { prefix = '', reference = '' } = values;
  if (form === undefined) {
    return Object.values(values).every((value) => /^[A-Z0-9#/-]*$/.test(value)) && values['serial'] !== '';
  }
  const isCounted = form.digits === null || (prefix + reference).length === form.digits;
  return /^[0-9]{6,12}$/.test(prefix) && isCounted && elementsOf(kind, values) !== null;
}

/** The parts of a GS1 key for a company prefix of this length; null if it has no EPC. */
export function valuesOf(elements: Elements, prefixLength: number): { kind: EpcKind; values: Values } | null {
  for (const [kind, form] of Object.entries(FORMS) as [EpcKind, Form][]) {
    const key = elements.get(form.ai);
    if (key !== undefined) {
      const values = partsOf(kind, form, key, prefixLength);
      const serial =
        form.serialAi === null
          ? undefined
          : (elements.get(form.serialAi) ?? (kind === 'sgln' ? '0' : undefined));
      const whole = serial === undefined ? values : { ...values, serial };
      return uriOf(kind, whole) === null || !isWhole(kind, whole) ? null : { kind, values: whole };
    }
  }
  return null;
}

function partsOf(
  kind: EpcKind,
  { isIndicatorFirst, digits, before }: Form,
  key: string,
  prefixLength: number,
): Values {
  const bare = key.slice(before.length);
  const length = digits ?? bare.length;
  const indicator = isIndicatorFirst ? 1 : 0;
  const prefix = bare.slice(indicator, indicator + prefixLength);
  const reference = bare.slice(0, indicator) + bare.slice(indicator + prefixLength, length);
  const rest = digits === null ? '' : bare.slice(length + 1);
  if (kind === 'itip') {
    return { prefix, reference, piece: rest.slice(0, 2), total: rest.slice(2) };
  }
  return PARTS[kind].includes('serial') && FORMS[kind]?.serialAi === null
    ? { prefix, reference, serial: rest }
    : { prefix, reference };
}

function escaped(text: string): string {
  return text.replace(/["#%&/<>?]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function unescaped(text: string): string | null {
  return /%(?![0-9A-Fa-f]{2})/.test(text)
    ? null
    : text.replace(/%([0-9A-Fa-f]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}
