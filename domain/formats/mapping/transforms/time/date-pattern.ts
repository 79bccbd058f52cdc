import type { Micros } from '../../../../../base/instant.ts';
import type { Compilation } from '../../language/compilation.ts';
import { type Civil, instantOf } from './civil.ts';
import { microsOfFraction } from './digits.ts';
import { namedZone, type Zone, zoneOfOffset } from './zone.ts';

const MAX_LENGTH = 64;

/** Field and accepted text of each run of letters. */
const FIELDS: Readonly<Record<string, readonly [keyof Civil | 'offset', string]>> = {
  yyyy: ['year', '\\d{4}'],
  M: ['month', '\\d{1,2}'],
  MM: ['month', '\\d{2}'],
  d: ['day', '\\d{1,2}'],
  dd: ['day', '\\d{2}'],
  H: ['hour', '\\d{1,2}'],
  HH: ['hour', '\\d{2}'],
  m: ['minute', '\\d{1,2}'],
  mm: ['minute', '\\d{2}'],
  s: ['second', '\\d{1,2}'],
  ss: ['second', '\\d{2}'],
  S: ['micros', '\\d{1,9}'],
  X: ['offset', '[Zz]|[+-]\\d{1,2}(?::?\\d{2})?'],
};

const TOKENS = /'([^']*)'|([A-Za-z])\2*|[^A-Za-z]/g;

export interface DatePattern {
  readonly pattern: string;
  readonly zone?: string;
}

/**
 * Compiles a local notation such as `2026-6-8&21:43:48+00`. In the pattern `yyyy M d H m s` are numbers
 * (doubled: exactly two digits), `S` a fraction of a second of one to nine digits, `X` an offset (`Z`, `+02`,
 * `+0200`, `+02:00`); text in single quotes, and everything that is not a letter, stands for itself. A
 * pattern without `X` needs a named zone.
 */
export function compileDatePattern(
  { pattern, zone: zoneName }: DatePattern,
  at: string,
  compilation: Compilation,
): (value: unknown) => Micros | undefined {
  const meanings: (keyof Civil | 'offset')[] = [];
  const source = pattern.replace(TOKENS, (token, quoted: string | undefined, letter: string | undefined) => {
    if (letter === undefined) {
      return RegExp.escape(quoted ?? token);
    }
    const field = FIELDS[token];
    if (field === undefined || meanings.includes(field[0])) {
      compilation.fault(`${at}/pattern`, `has ${token}, which is unknown or there twice; quote what is text`);
      return '';
    }
    meanings.push(field[0]);
    return `(${field[1]})`;
  });
  if (!(['year', 'month', 'day'] as const).every((part) => meanings.includes(part))) {
    compilation.fault(`${at}/pattern`, 'must have yyyy, M and d');
  }
  const zone = fixedZone(zoneName, meanings.includes('offset'), at, compilation);
  return reader(new RegExp(`^${source}$`), meanings, zone);
}

function fixedZone(
  name: string | undefined,
  hasOffset: boolean,
  at: string,
  compilation: Compilation,
): Zone | undefined {
  if (hasOffset === (name !== undefined)) {
    compilation.fault(at, 'must have either X in the pattern or a zone');
  }
  const zone = name === undefined ? undefined : namedZone(name);
  if (name !== undefined && zone === undefined) {
    compilation.fault(`${at}/zone`, `is not the name of a time zone: ${JSON.stringify(name)}`);
  }
  return zone;
}

function reader(expression: RegExp, meanings: readonly (keyof Civil | 'offset')[], zone: Zone | undefined) {
  return (value: unknown): Micros | undefined => {
    const match = typeof value === 'string' && value.length <= MAX_LENGTH ? expression.exec(value) : null;
    if (match === null) {
      return undefined;
    }
    const civil = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0, micros: 0 };
    let there = zone;
    for (const [index, meaning] of meanings.entries()) {
      const text = match[index + 1] ?? '';
      if (meaning === 'offset') {
        there = zoneOfOffset(text);
      } else {
        civil[meaning] = meaning === 'micros' ? microsOfFraction(text, 0, text.length) : Number(text);
      }
    }
    return there === undefined ? undefined : instantOf(civil, there);
  };
}
