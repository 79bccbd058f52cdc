import { EPC_SCHEMES, type Epc, type Values } from './epc.ts';
import { areValid, type Elements } from './gs1-elements.ts';
import { valuesOf } from './named.ts';

/** Writes a field of a scheme; false if the values do not fit it. */
type FieldWriter = (into: BitWriter, from: Values) => boolean;

class BitWriter {
  #bits = '';

  number(value: number | bigint, bits: number): void {
    this.#bits += value.toString(2).padStart(bits, '0');
  }

  zeros(bits: number): void {
    this.#bits += '0'.repeat(bits);
  }

  raw(bits: string): void {
    this.#bits += bits;
  }

  get length(): number {
    return this.#bits.length;
  }

  /** Padded with zeros to a word of 16 bits, as tags are. */
  hex(): string {
    const padded = this.#bits.padEnd(Math.ceil(this.#bits.length / 16) * 16, '0');
    return (padded.match(/.{4}/g) ?? [])
      .map((four) => Number.parseInt(four, 2).toString(16))
      .join('')
      .toUpperCase();
  }
}

/** The fields of each scheme by the Tag Data Standard, stated apart from `epc.ts`, so that each checks the other. */
const FIELDS: Readonly<Record<string, readonly FieldWriter[]>> = fieldsByScheme();

/** Upper-case hex digits of whole words; null if the scheme has no room for the values. */
export function encodeEpc({ scheme, values }: Epc): string | null {
  const into = new BitWriter();
  into.number(Number.parseInt(scheme.header, 16), 8);
  if (FIELDS[scheme.name]?.every((write) => write(into, values)) !== true) {
    return null;
  }
  into.raw(values['rest of data'] ?? '');
  return into.hex();
}

/**
 * The EPC of a GS1 key: in 96 bits if its serial number fits (a number without zeros in front), else in the longer scheme.
 * Null if the key is not valid, or has no EPC.
 *
 * @param prefixLength digits of the company prefix.
 */
export function epcOf(elements: Elements, prefixLength: number, filter: number): string | null {
  const named = areValid(elements) ? valuesOf(elements, prefixLength) : null;
  if (named === null) {
    return null;
  }
  const values = { ...named.values, filter: String(filter) };
  const schemes = EPC_SCHEMES.filter(({ kind, hasToggle }) => kind === named.kind && !hasToggle);
  for (const scheme of schemes) {
    const hex = encodeEpc({ scheme, values });
    if (hex !== null) {
      return hex;
    }
  }
  return null;
}

function fieldsByScheme(): Record<string, readonly FieldWriter[]> {
  const filter = integer('filter', 3);
  const of13 = partition(1, [4, 7, 10, 14, 17, 20, 24]);
  const of12 = partition(0, [1, 4, 7, 11, 14, 17, 21]);
  const of17 = partition(5, [18, 21, 24, 28, 31, 34, 38]);
  const ofGrai = partition(0, [4, 7, 10, 14, 17, 20, 24]);
  const pieces = [fixed('piece', 2, 7), fixed('total', 2, 7)];
  const plus = (name: string, ...fields: FieldWriter[]) => {
    const all = [integer('toggle', 1), filter, ...fields];
    return { [`${name}+`]: all, [`${name}++`]: [...all, domain] };
  };
  return {
    'SGTIN-96': [filter, of13, integer('serial', 38)],
    'SGTIN-198': [filter, of13, text('serial', 140)],
    ...plus('SGTIN', digits('key', 14), variable('serial', 20)),
    ...plus('DSGTIN', day, digits('key', 14), variable('serial', 20)),
    'SSCC-96': [filter, of17, zeros(24)],
    ...plus('SSCC', digits('key', 18)),
    'SGLN-96': [filter, of12, integer('serial', 41)],
    'SGLN-195': [filter, of12, text('serial', 140)],
    ...plus('SGLN', digits('key', 13), variable('serial', 20)),
    'GRAI-96': [filter, ofGrai, integer('serial', 38)],
    'GRAI-170': [filter, ofGrai, text('serial', 112)],
    ...plus('GRAI', digits('key', 14), variable('serial', 16)),
    'GIAI-96': [filter, unpadded([42, 45, 48, 52, 55, 58, 62])],
    'GIAI-202': [filter, partitionText([148, 151, 154, 158, 161, 164, 168])],
    ...plus('GIAI', delimited('key', 30)),
    'GSRN-96': [filter, of17, zeros(24)],
    ...plus('GSRN', digits('key', 18)),
    'GSRNP-96': [filter, of17, zeros(24)],
    ...plus('GSRNP', digits('key', 18)),
    'GDTI-96': [filter, of12, integer('serial', 41)],
    'GDTI-113': [filter, of12, numericText('serial', 58)],
    'GDTI-174': [filter, of12, text('serial', 119)],
    ...plus('GDTI', digits('key', 13), variable('serial', 17)),
    'CPI-96': [filter, unpadded([11, 14, 17, 21, 24, 27, 31]), integer('serial', 31)],
    'CPI-var': [filter, partitionSixBits, integer('serial', 40)],
    ...plus('CPI', delimited('key', 30), numeric('serial', 12)),
    'SGCN-96': [filter, of12, numericText('serial', 41)],
    ...plus('SGCN', digits('key', 13), numeric('serial', 12)),
    'ITIP-110': [filter, of13, ...pieces, integer('serial', 38)],
    'ITIP-212': [filter, of13, ...pieces, text('serial', 140)],
    ...plus('ITIP', digits('key', 14), digits('pieces', 4), variable('serial', 20)),
    'GID-96': [integer('manager', 28), integer('class', 24), integer('serial', 36)],
    'USDOD-96': [integer('filter', 4), cage(8), integer('serial', 36)],
    'ADI-var': [
      integer('filter', 6),
      cage(6),
      sixBits('part', /^[A-Z0-9/-]*$/, 32),
      sixBits('serial', /^#?[A-Z0-9/-]+$/, 30),
    ],
  };
}

/** Bits of the prefix of a company, by partition; it has 12 digits less the partition. */
const PREFIX_BITS = [40, 37, 34, 30, 27, 24, 20];

const DIGITS = /^[0-9]*$/;
const NUMBER = /^(?:0|[1-9][0-9]*)$/;
const TEXT = /^[!-"%-?A-Z_a-z]*$/;

function zeros(bits: number): FieldWriter {
  return (into) => {
    into.zeros(bits);
    return true;
  };
}

function integer(name: string, bits: number): FieldWriter {
  return (into, { [name]: value = '' }) => NUMBER.test(value) && writeNumber(into, value, bits);
}

function fixed(name: string, count: number, bits: number): FieldWriter {
  return (into, { [name]: value = '' }) =>
    DIGITS.test(value) && value.length === count && writeNumber(into, value, bits);
}

function numericText(name: string, bits: number): FieldWriter {
  return (into, { [name]: value = '' }) => DIGITS.test(value) && writeNumber(into, `1${value}`, bits);
}

function text(name: string, bits: number): FieldWriter {
  return (into, { [name]: value = '' }) => {
    if (value === '' || value.length * 7 > bits || !TEXT.test(value)) {
      return false;
    }
    const end = into.length + bits;
    writeCharacters(into, value, 7);
    into.zeros(end - into.length);
    return true;
  };
}

function partition(rest: number, bits: readonly number[]): FieldWriter {
  return (into, { prefix = '', reference = '' }) => {
    const at = 12 - prefix.length;
    return (
      DIGITS.test(reference) &&
      reference.length === at + rest &&
      writePrefix(into, prefix) &&
      writeNumber(into, reference || '0', bits[at] ?? 0)
    );
  };
}

function unpadded(bits: readonly number[]): FieldWriter {
  return (into, { prefix = '', reference = '' }) =>
    NUMBER.test(reference) &&
    writePrefix(into, prefix) &&
    writeNumber(into, reference, bits[12 - prefix.length] ?? 0);
}

function partitionText(bits: readonly number[]): FieldWriter {
  const fields = bits.map((length) => text('reference', length));
  return (into, values) => {
    const { prefix = '' } = values;
    return (
      isShort(values) && writePrefix(into, prefix) && fields[12 - prefix.length]?.(into, values) === true
    );
  };
}

function partitionSixBits(into: BitWriter, values: Values): boolean {
  const reference = sixBits('reference', /^[A-Z0-9#/-]+$/, 24);
  return isShort(values) && writePrefix(into, values['prefix'] ?? '') && reference(into, values);
}

function isShort({ prefix = '', reference = '' }: Values): boolean {
  return prefix.length + reference.length <= 30;
}

function sixBits(name: string, characters: RegExp, most: number): FieldWriter {
  return (into, { [name]: value = '' }) => {
    if (value.length > most || !characters.test(value)) {
      return false;
    }
    for (let at = 0; at < value.length; at++) {
      into.number(value.charCodeAt(at) & 63, 6);
    }
    into.zeros(6);
    return true;
  };
}

function cage(bits: 6 | 8): FieldWriter {
  return (into, { owner = '' }) => {
    if (!/^[A-HJ-NP-Z0-9]{5,6}$/.test(owner)) {
      return false;
    }
    const filled = owner.padStart(6, ' ');
    for (let at = 0; at < 6; at++) {
      into.number(filled.charCodeAt(at) & (2 ** bits - 1), bits);
    }
    return true;
  };
}

function digits(name: string, count: number): FieldWriter {
  return (into, { [name]: value = '' }) => {
    if (value.length !== count || !DIGITS.test(value)) {
      return false;
    }
    writeDigits(into, value);
    return true;
  };
}

/** A day as an application identifier of dates has it, behind which of them it is. */
function day(into: BitWriter, values: Values): boolean {
  const { kind = '', month = '', day: date = '' } = values;
  const fields = [integer('kind', 4), fixed('year', 2, 7), fixed('month', 2, 4), fixed('day', 2, 5)];
  return (
    Number(kind) <= 6 &&
    Number(date) <= ([31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][Number(month) - 1] ?? -1) &&
    fields.every((write) => write(into, values))
  );
}

interface Method {
  bits: (length: number) => number;
  is: RegExp;
  write: (into: BitWriter, value: string) => void;
}

/** How a text of variable length is written; the place in the list is the indicator in front of it. */
const METHODS: readonly Method[] = [
  { bits: numericBits, is: /^[0-9]*$/, write: writeNumeric },
  { bits: (length) => 4 * length, is: /^[0-9a-f]*$/, write: byTable('0123456789abcdef', 4) },
  { bits: (length) => 4 * length, is: /^[0-9A-F]*$/, write: byTable('0123456789ABCDEF', 4) },
  {
    bits: (length) => 6 * length,
    is: /^[\w-]*$/,
    write: byTable('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_', 6),
  },
  {
    bits: (length) => 7 * length,
    is: /^[!-#%-?A-Z_a-z]*$/,
    write: (into, value) => writeCharacters(into, value, 7),
  },
  { bits: (length) => 16 * Math.ceil(length / 3), is: /^[A-Z0-9.:-]*$/, write: writeForty },
];

/** By the method that `{name} method` asks for, or else by the shortest. */
function variable(name: string, most: number): FieldWriter {
  return (into, { [name]: value = '', [`${name} method`]: asked }) => {
    const indicator = asked === undefined ? shortest(value) : Number(asked);
    const chosen = METHODS[indicator];
    if (chosen === undefined || value === '' || value.length > most || !chosen.is.test(value)) {
      return false;
    }
    into.number(indicator, 3);
    into.number(value.length, 5);
    chosen.write(into, value);
    return true;
  };
}

function shortest(value: string): number {
  const able = METHODS.map((method, indicator) => ({ indicator, method })).filter(({ method }) =>
    method.is.test(value),
  );
  able.sort((one, other) => one.method.bits(value.length) - other.method.bits(value.length));
  return able[0]?.indicator ?? -1;
}

function numeric(name: string, most: number): FieldWriter {
  return (into, { [name]: value = '' }) => {
    if (value.length > most || !DIGITS.test(value)) {
      return false;
    }
    into.number(value.length, 4);
    writeNumeric(into, value);
    return true;
  };
}

const DELIMITER = 14;
const TERMINATOR = 15;

function delimited(name: string, most: number): FieldWriter {
  const rest = variable('rest', most);
  return (into, values) => {
    const { [name]: value = '' } = values;
    const count = /^[0-9]*/.exec(value)?.[0].length ?? 0;
    if (count === 0 || value.length > most) {
      return false;
    }
    writeDigits(into, value.slice(0, count));
    into.number(count < value.length ? DELIMITER : TERMINATOR, 4);
    return count === value.length || rest(into, { ...values, rest: value.slice(count) });
  };
}

/** As raw bits. */
function domain(into: BitWriter, values: Values): boolean {
  into.raw(values['domain'] ?? '');
  return values['domain'] !== undefined;
}

function writePrefix(into: BitWriter, prefix: string): boolean {
  const at = 12 - prefix.length;
  const bits = PREFIX_BITS[at];
  if (bits === undefined || !DIGITS.test(prefix)) {
    return false;
  }
  into.number(at, 3);
  return writeNumber(into, prefix, bits);
}

function writeNumber(into: BitWriter, decimal: string, bits: number): boolean {
  const value = BigInt(decimal);
  if (value >= 1n << BigInt(bits)) {
    return false;
  }
  into.number(value, bits);
  return true;
}

function writeDigits(into: BitWriter, value: string): void {
  for (const digit of value) {
    into.number(Number(digit), 4);
  }
}

function writeCharacters(into: BitWriter, value: string, bits: number): void {
  for (let at = 0; at < value.length; at++) {
    into.number(value.charCodeAt(at), bits);
  }
}

/** Bits needed for numbers with this many digits. */
function numericBits(length: number): number {
  return Math.ceil(length * Math.log2(10));
}

function writeNumeric(into: BitWriter, value: string): void {
  if (value !== '') {
    into.number(BigInt(value), numericBits(value.length));
  }
}

function byTable(table: string, bits: number): Method['write'] {
  return (into, value) => {
    for (const character of value) {
      into.number(table.indexOf(character), bits);
    }
  };
}

/** URN Code 40: three characters in 16 bits. */
function writeForty(into: BitWriter, value: string): void {
  const table = ' ABCDEFGHIJKLMNOPQRSTUVWXYZ-.:0123456789';
  for (let at = 0; at < value.length; at += 3) {
    const [one = 0, two = 0, three = 0] = [...value.slice(at, at + 3)].map((each) => table.indexOf(each));
    into.number(1600 * one + 40 * two + three + 1, 16);
  }
}
