import { hasCheckDigit, identifierNamed, isValueOf } from './application-identifiers.ts';

/** Application identifiers with their values. */
export type Elements = ReadonlyMap<string, string>;

/**
 * The identifiers by which GS1 names things, and those that complete each, first the one that counts if there are several. What
 * is first here counts if an element string has several.
 */
const KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  ['00', []],
  ['01', ['21', '10']],
  ['8006', ['21']],
  ['8010', ['8011']],
  ['8003', []],
  ['8004', []],
  ['253', []],
  ['255', []],
  ['8018', ['8019']],
  ['8017', ['8019']],
  ['414', ['254']],
]);

/** Identifiers of Digital Links that may stand between or behind those of the key. */
export const QUALIFIERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['01', ['22', '10', '21', '235']],
  ['8006', ['22', '10', '21']],
  ['8010', ['8011']],
  ['8018', ['8019']],
  ['8017', ['8019']],
  ['414', ['254', '7040']],
  ['8004', ['7040']],
]);

export function isKey(ai: string): boolean {
  return KEYS.has(ai);
}

/** The elements that name the thing: the key and what completes it; null if there is none. */
export function keyElements(elements: Elements): Elements | null {
  for (const [ai, completing] of KEYS) {
    const value = elements.get(ai);
    if (value !== undefined) {
      const completed = completing.find((one) => elements.has(one));
      return completed === undefined
        ? new Map([[ai, value]])
        : new Map([
            [ai, value],
            [completed, elements.get(completed) ?? ''],
          ]);
    }
  }
  return null;
}

/** FNC1: in front it marks a GS1 key, which no value can then be by chance, as it is in none. */
export const FNC1 = '\u001d';

/** A matching key: an element string. */
export function matchingKey(elements: Elements): string {
  let key = '';
  for (const [ai, value] of elements) {
    key += FNC1 + ai + value;
  }
  return key;
}

/** Whether a matching key is that of a thing which all kinds of tags can name. */
export function isGs1Key(key: string): boolean {
  return key.startsWith(FNC1);
}

/** Whether all values are what their identifiers take. */
export function areValid(elements: Elements): boolean {
  return [...elements].every(([ai, value]) => {
    const identifier = identifierNamed(ai);
    return identifier !== undefined && isValueOf(identifier, value);
  });
}

/** The 14 digits of a GTIN of 8, 12, 13 or 14; null if it is none. */
export function gtin14(digits: string): string | null {
  const isGtin = /^(?:[0-9]{8}|[0-9]{12,14})$/.test(digits) && hasCheckDigit(digits);
  return isGtin ? digits.padStart(14, '0') : null;
}
