import {
  BitReader,
  cage,
  date,
  delimited,
  digits,
  domain,
  type EpcField,
  fixed,
  integer,
  numeric,
  numericText,
  partition,
  partitionSixBits,
  partitionText,
  sixBits,
  text,
  unpadded,
  type Values,
  variable,
  zeros,
} from './epc-fields.ts';

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
