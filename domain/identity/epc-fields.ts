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

export type Values = Record<string, string>;

/**
 * Reads a field of a scheme. It accepts only bits that the standard would write for the value.
 *
 * @returns false if the bits do not fit the field.
 */
export type EpcField = (from: BitReader, into: Values) => boolean;

/** Bits of the prefix of a company, by partition; it has 12 digits less the partition. */
const PREFIX_BITS = [40, 37, 34, 30, 27, 24, 20];

const TEXT = /^[!-"%-?A-Z_a-z]*$/;

export function zeros(bits: number): EpcField {
  return (from) => from.isZero(bits);
}

export function integer(name: string, bits: number): EpcField {
  return (from, into) => {
    into[name] = from.decimal(bits);
    return true;
  };
}

/** A number with a fixed count of digits, including leading zeros. */
export function fixed(name: string, digits: number, bits: number): EpcField {
  return (from, into) => {
    const value = from.decimal(bits).padStart(digits, '0');
    into[name] = value;
    return value.length === digits;
  };
}

/** Digits that may begin with zeros: a 1 stands in front. */
export function numericText(name: string, bits: number): EpcField {
  return (from, into) => {
    const value = from.decimal(bits);
    into[name] = value.slice(1);
    return value.startsWith('1');
  };
}

/** Text of 7 bits a character, filled up with zeros. */
export function text(name: string, bits: number): EpcField {
  return (from, into) => {
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
  };
}

/** The digits between the prefix of a company and the check digit: `rest` of them for a prefix of 12. */
export function partition(rest: number, bits: readonly number[]): EpcField {
  return (from, into) => {
    const at = readPrefix(from, into);
    const digits = at + rest;
    const reference = from.decimal(bits[at] ?? 0).padStart(digits, '0');
    into['reference'] = digits === 0 ? '' : reference;
    return at >= 0 && (digits === 0 ? reference === '0' : reference.length === digits);
  };
}

/** A number behind the prefix, without leading zeros. */
export function unpadded(bits: readonly number[]): EpcField {
  return (from, into) => {
    const at = readPrefix(from, into);
    into['reference'] = from.decimal(bits[at] ?? 0);
    return at >= 0;
  };
}

/** Text after the prefix; both together have up to 30 characters. */
export function partitionText(bits: readonly number[]): EpcField {
  const fields = bits.map((length) => text('reference', length));
  const isShort = ({ prefix = '', reference = '' }: Values) => prefix.length + reference.length <= 30;
  return (from, into) => {
    const field = fields[readPrefix(from, into)];
    return field?.(from, into) === true && isShort(into);
  };
}

/** Text of 6 bits a character behind the prefix, with zeros at its end. */
export function partitionSixBits(): EpcField {
  const reference = sixBits('reference', /^[A-Z0-9#/-]+$/, 24);
  const isShort = (values: Values) => `${values['prefix']}${values['reference']}`.length <= 30;
  return (from, into) => readPrefix(from, into) >= 0 && reference(from, into) && isShort(into);
}

/** Text of 6 bits a character, with zeros at its end. */
export function sixBits(name: string, characters: RegExp, most: number): EpcField {
  return (from, into) => {
    let value = '';
    for (let code = from.number(6); code !== 0 && value.length <= most; code = from.number(6)) {
      value += String.fromCharCode(code < 32 ? code + 64 : code);
    }
    into[name] = value;
    return value.length <= most && characters.test(value);
  };
}

const CAGE = /^[A-HJ-NP-Z0-9]{5,6}$/;

/** A CAGE code of five characters, or a DoDAAC of six; a blank fills the former. */
export function cage(bits: 6 | 8): EpcField {
  return (from, into) => {
    let value = '';
    for (let count = 0; count < 6; count++) {
      const code = from.number(bits);
      value += String.fromCharCode(bits === 6 && code < 32 ? code + 64 : code);
    }
    const owner = value.startsWith(' ') ? value.slice(1) : value;
    into['owner'] = owner;
    return CAGE.test(owner);
  };
}

/** Digits of 4 bits each. */
export function digits(name: string, count: number): EpcField {
  return (from, into) => {
    let value = '';
    for (let at = 0; at < count; at++) {
      value += from.number(4);
    }
    into[name] = value;
    return value.length === count;
  };
}

/** A day as an application identifier of dates has it, behind which of them it is. */
export function date(): EpcField {
  const parts = [fixed('year', 2, 7), fixed('month', 2, 4), fixed('day', 2, 5)];
  const isDay = ({ kind = '', month = '', day = '' }: Values) =>
    Number(kind) <= 6 && Number(day) <= (DAYS[Number(month) - 1] ?? -1);
  const kind = integer('kind', 4);
  return (from, into) => kind(from, into) && parts.every((part) => part(from, into)) && isDay(into);
}

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** How a text of variable length is written; the place in the list is the indicator in front of it. */
const METHODS: readonly Method[] = [
  { is: /^[0-9]*$/, read: readNumber },
  { is: /^[0-9a-f]*$/, read: byTable('0123456789abcdef', 4) },
  { is: /^[0-9A-F]*$/, read: byTable('0123456789ABCDEF', 4) },
  {
    is: /^[\w-]*$/,
    read: byTable('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_', 6),
  },
  { is: /^[!-#%-?A-Z_a-z]*$/, read: readSevenBits },
  { is: /^[A-Z0-9.:-]*$/, read: readForty },
];

interface Method {
  is: RegExp;
  read: (from: BitReader, length: number) => string | null;
}

/** Text of variable length: the method, the length and the characters. Which method was taken is kept as `{name} method`. */
export function variable(name: string, most: number): EpcField {
  const method = `${name} method`;
  return (from, into) => {
    const indicator = from.number(3);
    const length = from.number(5);
    const value = length > most ? null : (METHODS[indicator]?.read(from, length) ?? null);
    into[method] = String(indicator);
    into[name] = value ?? '';
    return value !== null && value !== '' && METHODS[indicator]?.is.test(value) === true;
  };
}

/** A number of up to 15 digits with its leading zeros, behind its length. */
export function numeric(name: string, most: number): EpcField {
  return (from, into) => {
    const length = from.number(4);
    const value = readNumber(from, length);
    into[name] = value ?? '';
    return value !== null && length <= most;
  };
}

const DELIMITER = 14;
const TERMINATOR = 15;

/** Digits of 4 bits each up to an end, or up to a delimiter with text of variable length behind it. */
export function delimited(name: string, most: number): EpcField {
  const rest = variable('rest', most);
  return (from, into) => {
    let value = '';
    let code = from.number(4);
    for (; code < 10 && value.length <= most; code = from.number(4)) {
      value += code;
    }
    if (code === DELIMITER && !rest(from, into)) {
      return false;
    }
    const text = code === DELIMITER ? (into['rest'] ?? '') : '';
    into[name] = value + text;
    const isEnded = code === TERMINATOR || (code === DELIMITER && !/^[0-9]/.test(text));
    return isEnded && value !== '' && value.length + text.length <= most;
  };
}

/** A domain, as raw bits. */
export function domain(): EpcField {
  return (from, into) => {
    const isText = from.number(1) === 1;
    const length = from.number(6);
    let bits = (isText ? '1' : '0') + length.toString(2).padStart(6, '0');
    for (let left = isText ? 7 * length : 16 * Math.ceil(length / 3); left > 0; left--) {
      bits += from.number(1);
    }
    into['domain'] = bits;
    return length > 0;
  };
}

/** @returns the partition; -1 if there is none. */
function readPrefix(from: BitReader, into: Values): number {
  const at = from.number(3);
  const prefix = from.decimal(PREFIX_BITS[at] ?? 0).padStart(12 - at, '0');
  into['prefix'] = prefix;
  return at < PREFIX_BITS.length && prefix.length === 12 - at ? at : -1;
}

function readNumber(from: BitReader, length: number): string | null {
  const bits = Math.ceil(length * Math.log2(10));
  const value = length === 0 ? '' : from.decimal(bits).padStart(length, '0');
  return value.length === length ? value : null;
}

function byTable(table: string, bits: number): Method['read'] {
  return (from, length) => {
    let value = '';
    for (let at = 0; at < length; at++) {
      value += table[from.number(bits)] ?? '';
    }
    return value;
  };
}

function readSevenBits(from: BitReader, length: number): string {
  let value = '';
  for (let at = 0; at < length; at++) {
    value += String.fromCharCode(from.number(7));
  }
  return value;
}

const FORTY = ' ABCDEFGHIJKLMNOPQRSTUVWXYZ-.:0123456789';

/** URN Code 40: three characters in 16 bits. */
function readForty(from: BitReader, length: number): string | null {
  let value = '';
  for (let at = 0; at < length; at += 3) {
    const three = from.number(16) - 1;
    value += FORTY[Math.floor(three / 1600)] ?? '!';
    value += FORTY[Math.floor(three / 40) % 40] ?? '!';
    value += FORTY[three % 40] ?? '!';
  }
  return value.slice(length).trim() === '' ? value.slice(0, length) : null;
}
