/** Reads numbers from hex digits, bit by bit. It reads zeros beyond the end; `isOver` tells. */
export class BitReader {
  at = 0;
  readonly #hex: string;
  readonly length: number;

  constructor(hex: string) {
    this.#hex = hex;
    this.length = hex.length * 4;
  }

  get isOver(): boolean {
    return this.at > this.length;
  }

  /** Up to 48 bits. */
  number(bits: number): number {
    if (bits === 0) {
      return 0;
    }
    const end = this.at + bits;
    const last = (end + 3) >> 2;
    const digits = this.#hex.slice(this.at >> 2, last).padEnd(last - (this.at >> 2), '0');
    const behind = (last << 2) - end;
    this.at = end;
    const value = Number.parseInt(digits, 16);
    return behind === 0 ? value % 2 ** bits : Math.floor(value / 2 ** behind) % 2 ** bits;
  }

  /** Any number of bits, in decimal. */
  decimal(bits: number): string {
    if (bits <= 48) {
      return String(this.number(bits));
    }
    let value = 0n;
    for (let left = bits; left > 0; left -= 32) {
      const taken = Math.min(32, left);
      value = (value << BigInt(taken)) | BigInt(this.number(taken));
    }
    return String(value);
  }

  /** Whether all of the next bits are zeros. */
  isZero(bits: number): boolean {
    for (let left = bits; left > 0; left -= 48) {
      if (this.number(Math.min(48, left)) !== 0) {
        return false;
      }
    }
    return true;
  }
}

export class BitWriter {
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

export type Values = Record<string, string>;

/**
 * A field of a scheme. Both directions accept the same values only, so reading and writing again gives the same bits.
 *
 * @returns false if the bits, or the values, do not fit the field.
 */
export interface EpcField {
  read(from: BitReader, into: Values): boolean;
  write(into: BitWriter, from: Values): boolean;
}

/** Bits of the prefix of a company, by partition; it has 12 digits less the partition. */
const PREFIX_BITS = [40, 37, 34, 30, 27, 24, 20];

const DIGITS = /^[0-9]*$/;
const NUMBER = /^(?:0|[1-9][0-9]*)$/;
const TEXT = /^[!-"%-?A-Z_a-z]*$/;

export function zeros(bits: number): EpcField {
  return {
    read: (from) => from.isZero(bits),
    write: (into) => {
      into.zeros(bits);
      return true;
    },
  };
}

export function integer(name: string, bits: number): EpcField {
  return {
    read: (from, into) => {
      into[name] = from.decimal(bits);
      return true;
    },
    write: (into, { [name]: value = '' }) => NUMBER.test(value) && writeNumber(into, value, bits),
  };
}

/** A number with a fixed count of digits, including leading zeros. */
export function fixed(name: string, digits: number, bits: number): EpcField {
  return {
    read: (from, into) => {
      const value = from.decimal(bits).padStart(digits, '0');
      into[name] = value;
      return value.length === digits;
    },
    write: (into, { [name]: value = '' }) =>
      DIGITS.test(value) && value.length === digits && writeNumber(into, value, bits),
  };
}

/** Digits that may begin with zeros: a 1 stands in front. */
export function numericText(name: string, bits: number): EpcField {
  return {
    read: (from, into) => {
      const value = from.decimal(bits);
      into[name] = value.slice(1);
      return value.startsWith('1');
    },
    write: (into, { [name]: value = '' }) => DIGITS.test(value) && writeNumber(into, `1${value}`, bits),
  };
}

/** Text of 7 bits a character, filled up with zeros. */
export function text(name: string, bits: number): EpcField {
  return {
    read: (from, into) => {
      let value = '';
      let left = bits;
      for (; left >= 7; left -= 7) {
        const code = from.number(7);
        if (code === 0) {
          left -= 7;
          break;
        }
        value += String.fromCharCode(code);
      }
      into[name] = value;
      return from.isZero(Math.max(left, 0)) && value !== '' && TEXT.test(value);
    },
    write: (into, { [name]: value = '' }) => {
      if (value === '' || value.length * 7 > bits || !TEXT.test(value)) {
        return false;
      }
      const end = into.length + bits;
      writeCharacters(into, value, 7);
      into.zeros(end - into.length);
      return true;
    },
  };
}

/** The digits between the prefix of a company and the check digit: `rest` of them for a prefix of 12. */
export function partition(rest: number, bits: readonly number[]): EpcField {
  return {
    read: (from, into) => {
      const at = readPrefix(from, into);
      const digits = at + rest;
      const reference = from.decimal(bits[at] ?? 0).padStart(digits, '0');
      into['reference'] = digits === 0 ? '' : reference;
      return at >= 0 && (digits === 0 ? reference === '0' : reference.length === digits);
    },
    write: (into, values) => {
      const { prefix = '', reference = '' } = values;
      const at = 12 - prefix.length;
      return (
        DIGITS.test(reference) &&
        reference.length === at + rest &&
        writePrefix(into, prefix) &&
        writeNumber(into, reference || '0', bits[at] ?? 0)
      );
    },
  };
}

/** A number behind the prefix, without leading zeros. */
export function unpadded(bits: readonly number[]): EpcField {
  return {
    read: (from, into) => {
      const at = readPrefix(from, into);
      into['reference'] = from.decimal(bits[at] ?? 0);
      return at >= 0;
    },
    write: (into, { prefix = '', reference = '' }) =>
      NUMBER.test(reference) &&
      writePrefix(into, prefix) &&
      writeNumber(into, reference, bits[12 - prefix.length] ?? 0),
  };
}

/** Text after the prefix; both together have up to 30 characters. */
export function partitionText(bits: readonly number[]): EpcField {
  const fields = bits.map((length) => text('reference', length));
  const isShort = ({ prefix = '', reference = '' }: Values) => prefix.length + reference.length <= 30;
  return {
    read: (from, into) => {
      const field = fields[readPrefix(from, into)];
      return field?.read(from, into) === true && isShort(into);
    },
    write: (into, values) => {
      const { prefix = '' } = values;
      const field = fields[12 - prefix.length];
      return isShort(values) && writePrefix(into, prefix) && field?.write(into, values) === true;
    },
  };
}

/** Text of 6 bits a character behind the prefix, with zeros at its end. */
export function partitionSixBits(): EpcField {
  const reference = sixBits('reference', /^[A-Z0-9#/-]+$/, 24);
  const isShort = (values: Values) => `${values['prefix']}${values['reference']}`.length <= 30;
  return {
    read: (from, into) => readPrefix(from, into) >= 0 && reference.read(from, into) && isShort(into),
    write: (into, values) =>
      isShort(values) && writePrefix(into, values['prefix'] ?? '') && reference.write(into, values),
  };
}

/** Text of 6 bits a character, with zeros at its end. */
export function sixBits(name: string, characters: RegExp, most: number): EpcField {
  return {
    read: (from, into) => {
      let value = '';
      for (let code = from.number(6); code !== 0 && value.length <= most; code = from.number(6)) {
        value += String.fromCharCode(code < 32 ? code + 64 : code);
      }
      into[name] = value;
      return value.length <= most && characters.test(value);
    },
    write: (into, { [name]: value = '' }) => {
      if (value.length > most || !characters.test(value)) {
        return false;
      }
      for (let at = 0; at < value.length; at++) {
        into.number(value.charCodeAt(at) & 63, 6);
      }
      into.zeros(6);
      return true;
    },
  };
}

const CAGE = /^[A-HJ-NP-Z0-9]{5,6}$/;

/** A CAGE code of five characters, or a DoDAAC of six; a blank fills the former. */
export function cage(bits: 6 | 8): EpcField {
  return {
    read: (from, into) => {
      let value = '';
      for (let count = 0; count < 6; count++) {
        const code = from.number(bits);
        value += String.fromCharCode(bits === 6 && code < 32 ? code + 64 : code);
      }
      const owner = value.startsWith(' ') ? value.slice(1) : value;
      into['owner'] = owner;
      return CAGE.test(owner);
    },
    write: (into, { owner = '' }) => {
      if (!CAGE.test(owner)) {
        return false;
      }
      const filled = owner.padStart(6, ' ');
      for (let at = 0; at < 6; at++) {
        into.number(filled.charCodeAt(at) & (2 ** bits - 1), bits);
      }
      return true;
    },
  };
}

/** Digits of 4 bits each. */
export function digits(name: string, count: number): EpcField {
  return {
    read: (from, into) => {
      let value = '';
      for (let at = 0; at < count; at++) {
        value += from.number(4);
      }
      into[name] = value;
      return value.length === count;
    },
    write: (into, { [name]: value = '' }) => {
      if (value.length !== count || !DIGITS.test(value)) {
        return false;
      }
      writeDigits(into, value);
      return true;
    },
  };
}

/** A day as an application identifier of dates has it, behind which of them it is. */
export function date(): EpcField {
  const parts = [fixed('year', 2, 7), fixed('month', 2, 4), fixed('day', 2, 5)];
  const isDay = ({ kind = '', month = '', day = '' }: Values) =>
    Number(kind) <= 6 && Number(day) <= (DAYS[Number(month) - 1] ?? -1);
  const kind = integer('kind', 4);
  return {
    read: (from, into) =>
      kind.read(from, into) && parts.every((part) => part.read(from, into)) && isDay(into),
    write: (into, from) =>
      isDay(from) && kind.write(into, from) && parts.every((part) => part.write(into, from)),
  };
}

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** How a text of variable length is written; the place in the list is the indicator in front of it. */
const METHODS: readonly Method[] = [
  { bits: numericBits, is: /^[0-9]*$/, ...asNumber() },
  { bits: (length) => 4 * length, is: /^[0-9a-f]*$/, ...byTable('0123456789abcdef', 4) },
  { bits: (length) => 4 * length, is: /^[0-9A-F]*$/, ...byTable('0123456789ABCDEF', 4) },
  {
    bits: (length) => 6 * length,
    is: /^[\w-]*$/,
    ...byTable('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_', 6),
  },
  { bits: (length) => 7 * length, is: /^[!-#%-?A-Z_a-z]*$/, ...bySevenBits() },
  { bits: (length) => 16 * Math.ceil(length / 3), is: /^[A-Z0-9.:-]*$/, ...byForty() },
];

interface Method {
  bits(length: number): number;
  is: RegExp;
  read(from: BitReader, length: number): string | null;
  write(into: BitWriter, value: string): void;
}

/** Text of variable length: the method, the length and the characters. Which method was taken is kept as `{name} method`. */
export function variable(name: string, most: number): EpcField {
  const method = `${name} method`;
  return {
    read: (from, into) => {
      const indicator = from.number(3);
      const length = from.number(5);
      const value = length > most ? null : (METHODS[indicator]?.read(from, length) ?? null);
      into[method] = String(indicator);
      into[name] = value ?? '';
      return value !== null && value !== '' && METHODS[indicator]?.is.test(value) === true;
    },
    write: (into, { [name]: value = '', [method]: asked }) => {
      const indicator = asked === undefined ? shortest(value) : Number(asked);
      const chosen = METHODS[indicator];
      if (chosen === undefined || value === '' || value.length > most || !chosen.is.test(value)) {
        return false;
      }
      into.number(indicator, 3);
      into.number(value.length, 5);
      chosen.write(into, value);
      return true;
    },
  };
}

function shortest(value: string): number {
  const able = METHODS.map((method, indicator) => ({ indicator, method })).filter(({ method }) =>
    method.is.test(value),
  );
  able.sort((one, other) => one.method.bits(value.length) - other.method.bits(value.length));
  return able[0]?.indicator ?? -1;
}

/** A number of up to 15 digits with its leading zeros, behind its length. */
export function numeric(name: string, most: number): EpcField {
  return {
    read: (from, into) => {
      const length = from.number(4);
      const value = asNumber().read(from, length);
      into[name] = value ?? '';
      return value !== null && length <= most;
    },
    write: (into, { [name]: value = '' }) => {
      if (value.length > most || !DIGITS.test(value)) {
        return false;
      }
      into.number(value.length, 4);
      asNumber().write(into, value);
      return true;
    },
  };
}

const DELIMITER = 14;
const TERMINATOR = 15;

/** Digits of 4 bits each up to an end, or up to a delimiter with text of variable length behind it. */
export function delimited(name: string, most: number): EpcField {
  const rest = variable('rest', most);
  return {
    read: (from, into) => {
      let value = '';
      let code = from.number(4);
      for (; code < 10 && value.length <= most; code = from.number(4)) {
        value += code;
      }
      if (code === DELIMITER && !rest.read(from, into)) {
        return false;
      }
      const text = code === DELIMITER ? (into['rest'] ?? '') : '';
      into[name] = value + text;
      const isEnded = code === TERMINATOR || (code === DELIMITER && !/^[0-9]/.test(text));
      return isEnded && value !== '' && value.length + text.length <= most;
    },
    write: (into, values) => {
      const { [name]: value = '' } = values;
      const count = /^[0-9]*/.exec(value)?.[0].length ?? 0;
      if (count === 0 || value.length > most) {
        return false;
      }
      writeDigits(into, value.slice(0, count));
      into.number(count < value.length ? DELIMITER : TERMINATOR, 4);
      return count === value.length || rest.write(into, { ...values, rest: value.slice(count) });
    },
  };
}

/** A domain, as raw bits. */
export function domain(): EpcField {
  return {
    read: (from, into) => {
      const isText = from.number(1) === 1;
      const length = from.number(6);
      let bits = (isText ? '1' : '0') + length.toString(2).padStart(6, '0');
      for (let left = isText ? 7 * length : 16 * Math.ceil(length / 3); left > 0; left--) {
        bits += from.number(1);
      }
      into['domain'] = bits;
      return length > 0;
    },
    write: (into, values) => {
      into.raw(values['domain'] ?? '');
      return values['domain'] !== undefined;
    },
  };
}

/** @returns the partition; -1 if there is none. */
function readPrefix(from: BitReader, into: Values): number {
  const at = from.number(3);
  const prefix = from.decimal(PREFIX_BITS[at] ?? 0).padStart(12 - at, '0');
  into['prefix'] = prefix;
  return at < PREFIX_BITS.length && prefix.length === 12 - at ? at : -1;
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

function asNumber(): Pick<Method, 'read' | 'write'> {
  return {
    read: (from, length) => {
      const value = length === 0 ? '' : from.decimal(numericBits(length)).padStart(length, '0');
      return value.length === length ? value : null;
    },
    write: (into, value) => {
      if (value !== '') {
        into.number(BigInt(value), numericBits(value.length));
      }
    },
  };
}

function byTable(table: string, bits: number): Pick<Method, 'read' | 'write'> {
  return {
    read: (from, length) => {
      let value = '';
      for (let at = 0; at < length; at++) {
        value += table[from.number(bits)] ?? '';
      }
      return value;
    },
    write: (into, value) => {
      for (const character of value) {
        into.number(table.indexOf(character), bits);
      }
    },
  };
}

function bySevenBits(): Pick<Method, 'read' | 'write'> {
  return {
    read: (from, length) => {
      let value = '';
      for (let at = 0; at < length; at++) {
        value += String.fromCharCode(from.number(7));
      }
      return value;
    },
    write: (into, value) => writeCharacters(into, value, 7),
  };
}

/** URN Code 40: three characters in 16 bits. */
function byForty(): Pick<Method, 'read' | 'write'> {
  const table = ' ABCDEFGHIJKLMNOPQRSTUVWXYZ-.:0123456789';
  return {
    read: (from, length) => {
      let value = '';
      for (let at = 0; at < length; at += 3) {
        const three = from.number(16) - 1;
        value += table[Math.floor(three / 1600)] ?? '!';
        value += table[Math.floor(three / 40) % 40] ?? '!';
        value += table[three % 40] ?? '!';
      }
      return value.slice(length).trim() === '' ? value.slice(0, length) : null;
    },
    write: (into, value) => {
      for (let at = 0; at < value.length; at += 3) {
        const [one = 0, two = 0, three = 0] = [...value.slice(at, at + 3)].map((one) => table.indexOf(one));
        into.number(1600 * one + 40 * two + three + 1, 16);
      }
    },
  };
}
