import type { Micros } from '../../../base/instant.ts';
import { isReadingValue, type ReadingKind } from '../../tracking/reading-kind.ts';
import { isRadioStrength } from '../../tracking/rssi.ts';
import { FORBIDDEN_IN_TAG_VALUE, isTagType, type TagType } from '../../tracking/tag-type.ts';
import { isPlausible } from './transforms/time/range.ts';
import { MAX_TEXT } from './values/limits.ts';
import { toNumber, toText } from './values/long-number.ts';
import { beginningOf, printable } from './values/printable.ts';

export function asTagType(value: unknown): TagType | undefined {
  return isTagType(value) ? value : undefined;
}

export function asTagValue(value: unknown): string | undefined {
  if (typeof value !== 'string') {
    return undefined;
  }
  if (faultOfTagValue(value) === null) {
    return value;
  }
  const text = value.length > MAX_TEXT ? value : withoutControlsAround(value);
  return faultOfTagValue(text) === null ? text : undefined;
}

/** Such as the NUL at the end of a text in C. */
function withoutControlsAround(value: string): string {
  let from = 0;
  let to = value.length;
  while (from < to && FORBIDDEN_IN_TAG_VALUE.test(value.charAt(from))) {
    from++;
  }
  while (from < to && FORBIDDEN_IN_TAG_VALUE.test(value.charAt(to - 1))) {
    to--;
  }
  return value.slice(from, to);
}

const MAX_CODE_POINTS = 255;
/** Inserted by decoders for bytes that are not UTF-8. */
const REPLACEMENT = '\u{fffd}';

export function faultOfTagValue(value: string): string | null {
  if (value === '') {
    return 'is empty';
  }
  // A code point is one or two UTF-16 units, so counting is needed between the two bounds only.
  if (
    value.length > MAX_CODE_POINTS &&
    (value.length > 2 * MAX_CODE_POINTS || Array.from(value).length > MAX_CODE_POINTS)
  ) {
    return `is longer than ${MAX_CODE_POINTS} characters`;
  }
  if (FORBIDDEN_IN_TAG_VALUE.test(value)) {
    return 'holds a control character';
  }
  if (value.includes(REPLACEMENT) || !value.isWellFormed()) {
    return 'holds characters that are not valid Unicode';
  }
  return null;
}

export const MOST_PORT = 65_535;
/** A greater port is not the antenna's number; the antenna gets a negative one. */
export const MOST_NUMBER = 32_767;
export const LONGEST_ANTENNA = 64;

const nameOfObject = oncePerObject((value) => JSON.stringify(beginningOf(value, LONGEST_ANTENNA)));

/** A port, also quoted; any other text, number, list or object is a name. Blank text names no antenna. */
export function asAntenna(value: unknown): number | string | undefined {
  const port = toNumber(value);
  if (port !== undefined && Number.isInteger(port) && port >= 1 && port <= MOST_PORT) {
    return port;
  }
  if (value === undefined || value === null) {
    return undefined;
  }
  const text = toText(value) ?? (typeof value === 'object' ? nameOfObject(value) : JSON.stringify(value));
  return printable(text.slice(0, MAX_TEXT).trim(), LONGEST_ANTENNA) || undefined;
}

/** dBm, keeping fractions. */
export function asRssi(value: unknown): number | undefined {
  const dbm = toNumber(value);
  return dbm !== undefined && isRadioStrength(dbm) ? dbm : undefined;
}

/** A value that a tag measures. Buttons and motion sensors may say true or false. */
export function asReading(kind: ReadingKind): (value: unknown) => number | undefined {
  const saysWhether = kind === 'button' || kind === 'motion';
  return (value) => {
    const number = saysWhether && typeof value === 'boolean' ? Number(value) : toNumber(value);
    return number !== undefined && isReadingValue(kind, number) ? number : undefined;
  };
}

/** A time of observation, from a time transform's result. */
export function asInstant(value: unknown): Micros | undefined {
  return typeof value === 'number' && isPlausible(value) ? value : undefined;
}

/** The payload's name for the reader, cut to 255 UTF-16 units. */
export function asReader(value: unknown): string | undefined {
  const text = toText(value);
  return text === undefined || text === '' ? undefined : printable(text, 255);
}

/**
 * Remembers `answer` for each object, because all items of a message may ask about the same one: listing the members
 * of a large object 1,000 times took 10 s.
 */
export function oncePerObject<Answer extends boolean | string>(
  answer: (value: object) => Answer,
): (value: object) => Answer {
  const answers = new WeakMap<object, Answer>();
  return (value) => {
    const known = answers.get(value);
    if (known !== undefined) {
      return known;
    }
    const found = answer(value);
    answers.set(value, found);
    return found;
  };
}
