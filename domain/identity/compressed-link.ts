import { BitReader, METHODS, readNumber } from './epc.ts';
import { areValid, type Elements, identifierAt, identifierNamed, type Part } from './gs1-elements.ts';

/**
 * The elements in the compressed part of a Digital Link (GS1 Digital Link standard, Compression); null if the text is no
 * such part. A short link of another kind must not become a GS1 key by chance, so each bit has to be used, and each
 * check digit has to be right.
 */
export function decompressed(text: string): Elements | null {
  return /^[\w-]{5,512}$/.test(text)
    ? (readElements(text, (sequence) => sequence) ?? readElements(text, (sequence) => [...sequence].sort()))
    : null;
}

/** Codes of identifiers that often come together. A run of identifiers has a run of codes. */
const SEQUENCES: ReadonlyMap<string, string[]> = new Map(
  Object.entries({
    ...{ '0a': '01 22', '0b': '01 10', '0c': '01 21', '0d': '01 17', '0e': '01 7003', '0f': '01 30' },
    ...{ '1a': '01 10 21 17', '1b': '01 15', '1c': '01 11', '1d': '01 16', '1e': '01 91', '1f': '01 10 15' },
    ...{
      '2a': '01 3100',
      '2b': '01 3101',
      '2c': '01 3102',
      '2d': '01 3103',
      '2e': '01 3104',
      '2f': '01 3105',
    },
    ...{
      '3a': '01 3200',
      '3b': '01 3201',
      '3c': '01 3202',
      '3d': '01 3203',
      '3e': '01 3204',
      '3f': '01 3205',
    },
    ...{ '9a': '8010 8011', '9b': '8017 8019', '9c': '8018 8019', '9d': '414 254' },
    ...Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`a${index}`, `01 392${index}`])),
    ...Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`c${index}`, `255 390${index}`])),
    ...{ ca: '255 3940', cb: '255 3941', cc: '255 3942', cd: '255 3943' },
  }).map(([code, identifiers]) => [code, identifiers.split(' ')]),
);

/** @param ordered orders the identifiers of a sequence: GS1's toolkit and libraries made from it write them sorted. */
function readElements(text: string, ordered: (sequence: string[]) => string[]): Elements | null {
  const from = new BitReader(hexOf(text));
  const elements = new Map<string, string>();
  for (;;) {
    const left = 6 * text.length - from.at;
    if (left < 6) {
      // Zeros fill the last character.
      return left >= 0 && from.isZero(left) && elements.size > 0 && areValid(elements) ? elements : null;
    }
    const code = hexDigits(from, 2);
    if (code.startsWith('f')) {
      if (!skipOther(from, Number.parseInt(code, 16) % 16)) {
        return null;
      }
      continue;
    }
    for (const ai of ordered(SEQUENCES.get(code) ?? [readIdentifier(from, code)])) {
      const value = readValue(from, ai);
      if (value === null || elements.has(ai)) {
        return null;
      }
      elements.set(ai, value);
    }
  }
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** With zeros at the end, up to a whole digit. */
function hexOf(text: string): string {
  const bits = [...text].map((sign) => BASE64.indexOf(sign).toString(2).padStart(6, '0')).join('');
  return bits.replace(/.{1,4}/g, (four) => Number.parseInt(four.padEnd(4, '0'), 2).toString(16));
}

function hexDigits(from: BitReader, count: number): string {
  return Array.from({ length: count }, () => from.number(4).toString(16)).join('');
}

function readIdentifier(from: BitReader, code: string): string {
  let ai = code;
  while (ai.length < 4 && identifierAt(ai, 0) === null) {
    ai += hexDigits(from, 1);
  }
  return ai;
}

function readValue(from: BitReader, ai: string): string | null {
  const identifier = identifierNamed(ai);
  let value = '';
  for (const part of joined(identifier?.parts ?? [])) {
    const text = part.kind === 'N' ? readNumber(from, readLength(from, part)) : readText(from, part);
    if (text === null) {
      return null;
    }
    value += text;
  }
  return identifier === undefined ? null : value;
}

/** Neighbouring numbers of fixed length are compressed as one. */
function joined(parts: readonly Part[]): readonly Part[] {
  const [first, second] = parts;
  return first?.kind === 'N' && second?.kind === 'N' && second.least === second.most
    ? [{ ...first, least: first.least + second.least, most: first.most + second.most }]
    : parts;
}

function readLength(from: BitReader, { least, most }: Part): number {
  return least === most ? most : from.number(most.toString(2).length);
}

function readText(from: BitReader, part: Part): string | null {
  const read = readMethod(from);
  return read?.(from, readLength(from, part)) ?? null;
}

/** The first five methods of tags, in the same order. */
function readMethod(from: BitReader) {
  return METHODS.slice(0, 5)[from.number(3)]?.read;
}

/**
 * Skips a parameter of the link that is no element: the length of its name, of which 4 bits are known, name and value.
 *
 * @returns false if there is none.
 */
function skipOther(from: BitReader, lengthBegun: number): boolean {
  const length = lengthBegun * 8 + from.number(3);
  from.at += 6 * length;
  const read = readMethod(from);
  return read !== undefined && read(from, from.number(7)) !== null;
}
