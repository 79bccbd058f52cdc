import { areValid, type Elements, gtin14, isKey, QUALIFIERS } from './gs1-key.ts';

/** Names that version 1.1 of the standard had for identifiers. */
const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{
      gtin: '01',
      itip: '8006',
      cpid: '8010',
      gln: '414',
      gsrn: '8018',
      gsrnp: '8017',
      sscc: '00',
      gdti: '253',
    },
    ...{
      gcn: '255',
      grai: '8003',
      giai: '8004',
      lot: '10',
      ser: '21',
      cpv: '22',
      glnx: '254',
      cpsn: '8011',
      srin: '8019',
    },
  }),
);

const LINK = /^https?:\/\/[^/?#]+\/([^?#]*)/i;

/** The elements in the path of a GS1 Digital Link of any domain; null if it is none. */
export function parseDigitalLink(text: string): Elements | null {
  const path = LINK.exec(text)?.[1];
  if (path === undefined) {
    return null;
  }
  const segments = path.replace(/\/$/, '').split('/');
  // The key and what completes it end the path.
  for (let at = segments.length - 2; at >= 0; at -= 2) {
    const ai = identifierOf(segments[at]);
    if (isKey(ai)) {
      return elementsOf(ai, segments.slice(at));
    }
  }
  return null;
}

function elementsOf(key: string, segments: readonly string[]): Elements | null {
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
