/** What an EPC names: the GS1 key, or another scheme of EPC URIs. */
export type EpcKind =
  | 'sgtin'
  | 'sscc'
  | 'sgln'
  | 'grai'
  | 'giai'
  | 'gsrn'
  | 'gsrnp'
  | 'gdti'
  | 'cpi'
  | 'sgcn'
  | 'itip'
  | 'gid'
  | 'usdod'
  | 'adi';

export type Values = Record<string, string>;

/**
 * Reads a field of a scheme. It accepts only bits that the standard would write for the value.
 *
 * @returns false if the bits do not fit the field.
 */
type EpcField = (from: BitReader, into: Values) => boolean;

export interface EpcScheme {
  name: string;
  kind: EpcKind;
  /** The first two hex digits. */
  header: string;
  /** Behind the header. */
  fields: readonly EpcField[];
  /** Data of other application identifiers may follow, if the toggle says so. */
  hasToggle: boolean;
}

const FILTER = integer('filter', 3);
/** Bits of a reference whose digits and those of the prefix add up to 13, 12 or 17. */
const OF_13 = partition(1, [4, 7, 10, 14, 17, 20, 24]);
const OF_12 = partition(0, [1, 4, 7, 11, 14, 17, 21]);
const OF_17 = partition(5, [18, 21, 24, 28, 31, 34, 38]);
const OF_GRAI = partition(0, [4, 7, 10, 14, 17, 20, 24]);

/** Tag Data Standard 2.3, section 14.6. */
function classic(name: string, kind: EpcKind, header: string, ...fields: EpcField[]): EpcScheme {
  return { name, kind, header, fields, hasToggle: false };
}

/** A scheme of version 2, and the one with a domain behind it. */
function plus(name: string, kind: EpcKind, headers: [string, string], ...fields: EpcField[]): EpcScheme[] {
  const all = [integer('toggle', 1), FILTER, ...fields];
  return [
    { name: `${name}+`, kind, header: headers[0], fields: all, hasToggle: true },
    { name: `${name}++`, kind, header: headers[1], fields: [...all, domain()], hasToggle: true },
  ];
}

export const EPC_SCHEMES: readonly EpcScheme[] = [
  classic('SGTIN-96', 'sgtin', '30', FILTER, OF_13, integer('serial', 38)),
  classic('SGTIN-198', 'sgtin', '36', FILTER, OF_13, text('serial', 140)),
  ...plus('SGTIN', 'sgtin', ['F7', 'FD'], digits('key', 14), variable('serial', 20)),
  ...plus('DSGTIN', 'sgtin', ['FB', 'FC'], date(), digits('key', 14), variable('serial', 20)),
  classic('SSCC-96', 'sscc', '31', FILTER, OF_17, zeros(24)),
  ...plus('SSCC', 'sscc', ['F9', 'EF'], digits('key', 18)),
  classic('SGLN-96', 'sgln', '32', FILTER, OF_12, integer('serial', 41)),
  classic('SGLN-195', 'sgln', '39', FILTER, OF_12, text('serial', 140)),
  ...plus('SGLN', 'sgln', ['F2', 'E9'], digits('key', 13), variable('serial', 20)),
  classic('GRAI-96', 'grai', '33', FILTER, OF_GRAI, integer('serial', 38)),
  classic('GRAI-170', 'grai', '37', FILTER, OF_GRAI, text('serial', 112)),
  ...plus('GRAI', 'grai', ['F1', 'EB'], digits('key', 14), variable('serial', 16)),
  classic('GIAI-96', 'giai', '34', FILTER, unpadded([42, 45, 48, 52, 55, 58, 62])),
  classic('GIAI-202', 'giai', '38', FILTER, partitionText([148, 151, 154, 158, 161, 164, 168])),
  ...plus('GIAI', 'giai', ['FA', 'EE'], delimited('key', 30)),
  classic('GSRN-96', 'gsrn', '2D', FILTER, OF_17, zeros(24)),
  ...plus('GSRN', 'gsrn', ['F4', 'E7'], digits('key', 18)),
  classic('GSRNP-96', 'gsrnp', '2E', FILTER, OF_17, zeros(24)),
  ...plus('GSRNP', 'gsrnp', ['F5', 'E8'], digits('key', 18)),
  classic('GDTI-96', 'gdti', '2C', FILTER, OF_12, integer('serial', 41)),
  classic('GDTI-113', 'gdti', '3A', FILTER, OF_12, numericText('serial', 58)),
  classic('GDTI-174', 'gdti', '3E', FILTER, OF_12, text('serial', 119)),
  ...plus('GDTI', 'gdti', ['F6', 'EA'], digits('key', 13), variable('serial', 17)),
  classic('CPI-96', 'cpi', '3C', FILTER, unpadded([11, 14, 17, 21, 24, 27, 31]), integer('serial', 31)),
  classic('CPI-var', 'cpi', '3D', FILTER, partitionSixBits(), integer('serial', 40)),
  ...plus('CPI', 'cpi', ['F0', 'E6'], delimited('key', 30), numeric('serial', 12)),
  classic('SGCN-96', 'sgcn', '3F', FILTER, OF_12, numericText('serial', 41)),
  ...plus('SGCN', 'sgcn', ['F8', 'EC'], digits('key', 13), numeric('serial', 12)),
  classic(
    'ITIP-110',
    'itip',
    '40',
    FILTER,
    OF_13,
    fixed('piece', 2, 7),
    fixed('total', 2, 7),
    integer('serial', 38),
  ),
  classic(
    'ITIP-212',
    'itip',
    '41',
    FILTER,
    OF_13,
    fixed('piece', 2, 7),
    fixed('total', 2, 7),
    text('serial', 140),
  ),
  ...plus('ITIP', 'itip', ['F3', 'ED'], digits('key', 14), digits('pieces', 4), variable('serial', 20)),
  classic('GID-96', 'gid', '35', integer('manager', 28), integer('class', 24), integer('serial', 36)),
  classic('USDOD-96', 'usdod', '2F', integer('filter', 4), cage(8), integer('serial', 36)),
  classic(
    'ADI-var',
    'adi',
    '3B',
    integer('filter', 6),
    cage(6),
    sixBits('part', /^[A-Z0-9/-]*$/, 32),
    sixBits('serial', /^#?[A-Z0-9/-]+$/, 30),
  ),
];

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

/** Whether hex digits may be an EPC; most tags are not. */
export function hasEpcHeader(hex: string): boolean {
  return hex.length >= LEAST && hex.length <= MOST && BY_HEADER.has(hex.slice(0, 2));
}

/**
 * Decodes upper-case hex digits of GS1's Tag Data Standard, versions 1 and 2. Fields accept only what the standard would
 * write, so that encoding gives the same bits.
 *
 * @returns null if they are not such an EPC.
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
    if (!field(from, values) || from.isOver) {
      return null;
    }
  }
  return isRest(scheme, from, values) ? { scheme, values } : null;
}

/** Followed by zeros up to the end of a word, or by other data, kept as it is. */
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

/** Bits of the prefix of a company, by partition; it has 12 digits less the partition. */
const PREFIX_BITS = [40, 37, 34, 30, 27, 24, 20];

const TEXT = /^[!-"%-?A-Z_a-z]*$/;

function zeros(bits: number): EpcField {
  return (from) => from.isZero(bits);
}

function integer(name: string, bits: number): EpcField {
  return (from, into) => {
    into[name] = from.decimal(bits);
    return true;
  };
}

/** A number with a fixed count of digits, including leading zeros. */
function fixed(name: string, digits: number, bits: number): EpcField {
  return (from, into) => {
    const value = from.decimal(bits).padStart(digits, '0');
    into[name] = value;
    return value.length === digits;
  };
}

/** Digits that may begin with zeros: a 1 stands in front. */
function numericText(name: string, bits: number): EpcField {
  return (from, into) => {
    const value = from.decimal(bits);
    into[name] = value.slice(1);
    return value.startsWith('1');
  };
}

/** Text of 7 bits a character, filled up with zeros. */
function text(name: string, bits: number): EpcField {
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
function partition(rest: number, bits: readonly number[]): EpcField {
  return (from, into) => {
    const at = readPrefix(from, into);
    const digits = at + rest;
    const reference = from.decimal(bits[at] ?? 0).padStart(digits, '0');
    into['reference'] = digits === 0 ? '' : reference;
    return at >= 0 && (digits === 0 ? reference === '0' : reference.length === digits);
  };
}

/** A number behind the prefix, without leading zeros. */
function unpadded(bits: readonly number[]): EpcField {
  return (from, into) => {
    const at = readPrefix(from, into);
    into['reference'] = from.decimal(bits[at] ?? 0);
    return at >= 0;
  };
}

/** Text after the prefix; both together have up to 30 characters. */
function partitionText(bits: readonly number[]): EpcField {
  const fields = bits.map((length) => text('reference', length));
  const isShort = ({ prefix = '', reference = '' }: Values) => prefix.length + reference.length <= 30;
  return (from, into) => {
    const field = fields[readPrefix(from, into)];
    return field?.(from, into) === true && isShort(into);
  };
}

/** Text of 6 bits a character behind the prefix, with zeros at its end. */
function partitionSixBits(): EpcField {
  const reference = sixBits('reference', /^[A-Z0-9#/-]+$/, 24);
  const isShort = (values: Values) => `${values['prefix']}${values['reference']}`.length <= 30;
  return (from, into) => readPrefix(from, into) >= 0 && reference(from, into) && isShort(into);
}

/** Text of 6 bits a character, with zeros at its end. */
function sixBits(name: string, characters: RegExp, most: number): EpcField {
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
function cage(bits: 6 | 8): EpcField {
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
function digits(name: string, count: number): EpcField {
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
function date(): EpcField {
  const parts = [fixed('year', 2, 7), fixed('month', 2, 4), fixed('day', 2, 5)];
  const isDay = ({ kind = '', month = '', day = '' }: Values) =>
    Number(kind) <= 6 && Number(day) <= (DAYS[Number(month) - 1] ?? -1);
  const kind = integer('kind', 4);
  return (from, into) => kind(from, into) && parts.every((part) => part(from, into)) && isDay(into);
}

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** How a text of variable length is written; the place in the list is the indicator in front of it. */
export const METHODS: readonly Method[] = [
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
function variable(name: string, most: number): EpcField {
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
function numeric(name: string, most: number): EpcField {
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
function delimited(name: string, most: number): EpcField {
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
function domain(): EpcField {
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

export function readNumber(from: BitReader, length: number): string | null {
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
