import { epcUri, type Named } from './named.ts';

/** What a value names, in the notations that other systems take. */
export interface Identifiers {
  /** Values by application identifier; null for what is no GS1 key. */
  gs1: Record<string, string> | null;
  /** Canonical, below GS1's own resolver. */
  digital_link: string | null;
  /** Null if nobody knows how long the prefix of the company is. */
  epc_uri: string | null;
}

export function identifiersOf(named: Named): Identifiers {
  const { elements } = named;
  const path = [...(elements ?? [])].map(([ai, value]) => `/${ai}/${encodeURIComponent(value)}`);
  return {
    gs1: elements === null ? null : Object.fromEntries(elements),
    digital_link: elements === null ? null : `https://id.gs1.org${path.join('')}`,
    epc_uri: epcUri(named),
  };
}
