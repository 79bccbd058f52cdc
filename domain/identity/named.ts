import { decodeEpc } from './epc.ts';
import type { Values } from './epc-fields.ts';
import type { EpcKind } from './epc-schemes.ts';
import { elementsOf, knownElements, parseEpcUri, uriOf } from './epc-uri.ts';
import { type Elements, FNC1, matchingKey } from './gs1-key.ts';

/** What a value names: by the elements of a GS1 key, unless it is a thing that only an EPC can name. */
export interface Named {
  elements: Elements | null;
  /** Null where the notation is none of EPCs. */
  epc: { kind: EpcKind; values: Values } | null;
}

/** The matching key of what is named: its element string, or the URI of what is no GS1 key. */
export function keyOf(named: Named): string {
  return named.elements === null ? `${FNC1}${epcUri(named)}` : matchingKey(named.elements);
}

/** The pure identity URI; null if the notation does not say how long the prefix of the company is. */
export function epcUri({ epc }: Named): string | null {
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

/** What a value names, in the notations that other systems take. */
export interface Identifiers {
  /** Values by application identifier; null for what is no GS1 key. */
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
