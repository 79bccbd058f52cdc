import { areValid, type Elements, identifierAt, identifierNamed, type Part } from './gs1-elements.ts';

/**
 * The elements in the compressed part of a Digital Link (GS1 Digital Link standard, Compression); null if the text is no
 * such part. A short link of another kind must not become a GS1 key by chance, so each bit has to be used, and each
 * check digit has to be right.
 */
export function decompressed(text: string): Elements | null {
  return /^[\w-]{5,512}$/.test(text)
    ? (elementsIn(text, (sequence) => sequence) ?? elementsIn(text, (sequence) => [...sequence].sort()))
    : null;
}

/** @param ordered orders the identifiers of a sequence: GS1's toolkit and libraries made from it write them sorted. */
function elementsIn(text: string, ordered: (sequence: string[]) => string[]): Elements | null {
  try {
    const elements = readElements(new Bits(text), ordered);
    return elements.size > 0 && areValid(elements) ? elements : null;
  } catch (error) {
    if (error instanceof NotCompressed) {
      return null;
    }
    throw error;
  }
}

class NotCompressed extends Error {}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const HEX = '0123456789abcdef';

class Bits {
  readonly #bits: string;
  #at = 0;

  constructor(text: string) {
    this.#bits = Array.from(text, (sign) => BASE64.indexOf(sign).toString(2).padStart(6, '0')).join('');
  }

  /** Fewer than 6 zeros fill the last sign. */
  isAtEnd(): boolean {
    return this.#bits.length - this.#at < 6 && !this.#bits.includes('1', this.#at);
  }

  take(count: number): bigint {
    const bits = this.#bits.slice(this.#at, this.#at + count);
    if (bits.length < count) {
      throw new NotCompressed();
    }
    this.#at += count;
    return BigInt(`0b0${bits}`);
  }

  characters(count: number, width: number, toCharacter: (code: number) => string | undefined): string {
    return Array.from({ length: count }, () => toCharacter(Number(this.take(width)))).join('');
  }

  digits(count: number): string {
    const digits = String(this.take((10n ** BigInt(count) - 1n).toString(2).length)).padStart(count, '0');
    return count === 0 ? '' : digits;
  }
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

function readElements(bits: Bits, ordered: (sequence: string[]) => string[]): Elements {
  const elements = new Map<string, string>();
  while (!bits.isAtEnd()) {
    const code = bits.characters(2, 4, (nibble) => HEX[nibble]);
    if (code.startsWith('f')) {
      skipOther(bits, Number.parseInt(code, 16) % 16);
      continue;
    }
    for (const ai of ordered(SEQUENCES.get(code) ?? [readIdentifier(bits, code)])) {
      if (elements.has(ai)) {
        throw new NotCompressed();
      }
      elements.set(ai, readValue(bits, ai));
    }
  }
  return elements;
}

function readIdentifier(bits: Bits, code: string): string {
  let ai = code;
  while (ai.length < 4 && identifierAt(ai, 0) === null) {
    ai += bits.characters(1, 4, (nibble) => HEX[nibble]);
  }
  return ai;
}

function readValue(bits: Bits, ai: string): string {
  const identifier = identifierNamed(ai);
  if (identifier === undefined) {
    throw new NotCompressed();
  }
  return joined(identifier.parts)
    .map((part) => (part.kind === 'N' ? bits.digits(readLength(bits, part)) : readText(bits, part)))
    .join('');
}

/** Neighbouring numbers of fixed length are compressed as one. */
function joined(parts: readonly Part[]): readonly Part[] {
  const [first, second] = parts;
  return first?.kind === 'N' && second?.kind === 'N' && second.least === second.most
    ? [{ ...first, least: first.least + second.least, most: first.most + second.most }]
    : parts;
}

function readLength(bits: Bits, { least, most }: Part): number {
  return least === most ? most : Number(bits.take(most.toString(2).length));
}

function readText(bits: Bits, part: Part): string {
  const encoding = Number(bits.take(3));
  return readEncoded(bits, encoding, readLength(bits, part));
}

function readEncoded(bits: Bits, encoding: number, length: number): string {
  switch (encoding) {
    case 0:
      return bits.digits(length);
    case 1:
      return bits.characters(length, 4, (nibble) => HEX[nibble]);
    case 2:
      return bits.characters(length, 4, (nibble) => HEX[nibble]).toUpperCase();
    case 3:
      return bits.characters(length, 6, (index) => BASE64[index]);
    case 4:
      return bits.characters(length, 7, (code) => String.fromCharCode(code));
    default:
      throw new NotCompressed();
  }
}

/** A parameter of the link that is no element: the length of its name, of which 4 bits are known, name and value. */
function skipOther(bits: Bits, lengthBegun: number): void {
  bits.take(6 * (lengthBegun * 8 + Number(bits.take(3))));
  const encoding = Number(bits.take(3));
  readEncoded(bits, encoding, Number(bits.take(7)));
}
