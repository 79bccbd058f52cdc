import { BitReader, BitWriter } from './bits.ts';
import type { Values } from './epc-fields.ts';
import { EPC_SCHEMES, type EpcScheme } from './epc-schemes.ts';

/** A decoded EPC. Its values are all that is needed to encode it again. */
export interface Epc {
  scheme: EpcScheme;
  values: Values;
}

const BY_HEADER: ReadonlyMap<string, EpcScheme> = new Map(
  EPC_SCHEMES.map((scheme) => [scheme.header, scheme]),
);

/** Hex digits: 64 to 496 bits. */
const LEAST = 16;
const MOST = 124;

/** Whether hex digits may be an EPC: most tags are none. */
export function hasEpcHeader(hex: string): boolean {
  return hex.length >= LEAST && hex.length <= MOST && BY_HEADER.has(hex.slice(0, 2));
}

/**
 * Decodes upper-case hex digits of GS1's Tag Data Standard, versions 1 and 2. Fields accept only what they would write, so that
 * encoding gives the same bits.
 *
 * @returns null if they are no such EPC.
 */
export function decodeEpc(hex: string): Epc | null {
  const scheme = BY_HEADER.get(hex.slice(0, 2));
  if (scheme === undefined || !hasEpcHeader(hex)) {
    return null;
  }
  const from = new BitReader(hex);
  from.at = 8;
  const values: Values = {};
  for (const field of scheme.fields) {
    if (!field.read(from, values) || from.isOver) {
      return null;
    }
  }
  return isRest(scheme, from, values) ? { scheme, values } : null;
}

/** Behind it are zeros up to the end of a word; or other data, kept as it is. */
function isRest({ hasToggle }: EpcScheme, from: BitReader, values: Values): boolean {
  const left = from.length - from.at;
  if (hasToggle && values['toggle'] === '1') {
    let rest = '';
    for (let bits = left; bits > 0; bits--) {
      rest += from.number(1);
    }
    values['rest of data'] = rest;
    return true;
  }
  return left < 16 && from.isZero(left);
}

/** Upper-case hex digits of whole words; null if the scheme has no room for the values. */
export function encodeEpc({ scheme, values }: Epc): string | null {
  const into = new BitWriter();
  into.number(Number.parseInt(scheme.header, 16), 8);
  for (const field of scheme.fields) {
    if (!field.write(into, values)) {
      return null;
    }
  }
  into.raw(values['rest of data'] ?? '');
  return into.hex();
}

export function schemeNamed(name: string): EpcScheme | undefined {
  return EPC_SCHEMES.find((scheme) => scheme.name === name);
}
