import { decodeEpc } from './epc.ts';
import { elementsOf, parseEpcUri, uriOf } from './epc-uri.ts';
import { type Elements, FNC1, matchingKey } from './gs1-key.ts';

/** What a value names: by the elements of a GS1 key, by a pure identity URI, or by both. */
export type Named = { elements: Elements; uri: string | null } | { elements: null; uri: string };

/** The matching key of what is named: its element string, or the URI of what is no GS1 key. */
export function keyOf({ elements, uri }: Named): string {
  return elements === null ? FNC1 + uri : matchingKey(elements);
}

/** @param hex upper-case digits. */
export function namedByEpc(hex: string): Named | null {
  const epc = decodeEpc(hex);
  return epc === null ? null : named(epc.scheme.kind, epc.values);
}

export function namedByUri(uri: string): Named | null {
  const parsed = parseEpcUri(uri);
  return parsed === null ? null : named(parsed.kind, parsed.values);
}

function named(...[kind, values]: Parameters<typeof elementsOf>): Named | null {
  const elements = elementsOf(kind, values);
  const uri = uriOf(kind, values);
  if (elements !== null) {
    return { elements, uri };
  }
  return uri === null || !OTHERS.has(kind) ? null : { elements, uri };
}

/** Schemes whose EPCs name things by no GS1 key. */
const OTHERS: ReadonlySet<string> = new Set(['gid', 'usdod', 'adi']);
