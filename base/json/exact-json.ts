import { AppError } from '../errors.ts';

/**
 * Parsed JSON. Numbers are doubles; where digits matter they are read from the source text ({@link JsonSource}).
 *
 * `JSON.parse` with a reviver that is given the source, and `JSON.rawJSON`, would do without that code. For a MiB of one-digit
 * numbers the reviver takes 290 to 320 ms of processor time that nobody else gets, whatever it does, 350 to 380 with a `rawJSON` for
 * each number; plain `JSON.parse` 6 to 7, and `traitsOf` 3 (Node.js 24.21, five times each).
 */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

/** Contract 7.2. */
export const DEPTH_LIMIT = 64;

export function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

export function isJsonObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !isArray(value);
}

interface Traits {
  nesting: number;
  /** A `\u` escape is half a surrogate pair without its other half. */
  hasLoneSurrogate: boolean;
  /** A `\u` escape is U+0000. */
  hasNul: boolean;
}

/** Scans a text without parsing it, in one pass: 3 ms for any text of 1 MiB. */
export function traitsOf(text: string): Traits {
  const traits = { nesting: 0, hasLoneSurrogate: false, hasNul: false };
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (inString) {
      if (char === BACKSLASH) {
        at += 1;
        if (text.charCodeAt(at) === SMALL_U) {
          at = passEscape(text, at, traits);
        }
      } else if (char === QUOTE) {
        inString = false;
      }
    } else if (char === QUOTE) {
      inString = true;
    } else if (char === OPEN_BRACE || char === OPEN_BRACKET) {
      depth += 1;
      traits.nesting = Math.max(traits.nesting, depth);
    } else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) {
      depth -= 1;
    }
  }
  return traits;
}

/**
 * @param at the `u` of an escape.
 * @returns the last character of the escape, or of the pair it begins.
 */
function passEscape(text: string, at: number, traits: Traits): number {
  const unit = unitAt(text, at);
  traits.hasNul ||= unit === 0;
  if (unit < 0xd800 || unit > 0xdfff) {
    return at + 4;
  }
  const isPair = unit < 0xdc00 && text.startsWith('\\u', at + 5) && isLowSurrogate(unitAt(text, at + 6));
  traits.hasLoneSurrogate ||= !isPair;
  return isPair ? at + 10 : at + 4;
}

function unitAt(text: string, at: number): number {
  return Number.parseInt(text.slice(at + 1, at + 5), 16);
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

const [QUOTE, BACKSLASH, SMALL_U] = [34, 92, 117];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [123, 125, 91, 93];

/**
 * The source text of a parsed value: text to be kept as sent is cut out of it, and digits that no double holds are read
 * from it. Nothing is searched before the text is asked for.
 */
export class JsonSource {
  readonly #find: () => string | null;
  /** The element found last: they are mostly asked for in order. */
  #last: Found | null = null;

  private constructor(find: () => string | null) {
    this.#find = find;
  }

  /** @param text valid JSON. */
  static of(text: string): JsonSource {
    return new JsonSource(() => text);
  }

  /** @throws Error if the value is missing. */
  get text(): string {
    const text = this.#find();
    if (text === null) {
      throw new Error('a value was read that is not in its text');
    }
    return text;
  }

  /** The last value of a repeated key. */
  member(key: string): JsonSource {
    return new JsonSource(() => memberIn(this.text, key));
  }

  element(index: number): JsonSource {
    return new JsonSource(() => {
      const last = this.#last !== null && this.#last.index <= index ? this.#last : firstIn(this.text);
      this.#last = elementFrom(last, index);
      return this.#last?.text ?? null;
    });
  }
}

function memberIn(object: string, key: string): string | null {
  let found: string | null = null;
  for (let at = afterBlanks(object, 1); object[at] === '"'; ) {
    const endOfKey = endOfString(object, at);
    const start = afterBlanks(object, afterBlanks(object, endOfKey) + 1);
    const end = endOfValue(object, start);
    if (isKey(object, at, endOfKey, key)) {
      found = object.slice(start, end);
    }
    at = afterBlanks(object, afterBlanks(object, end) + 1);
  }
  return found;
}

function isKey(text: string, start: number, end: number, key: string): boolean {
  const length = end - start - 2;
  if (length <= key.length) {
    return length === key.length && text.startsWith(key, start + 1) && !key.includes('\\');
  }
  return length <= key.length * 6 && JSON.parse(text.slice(start, end)) === key;
}

/** An element of an array: its place among them, and where its text begins. */
interface Found {
  array: string;
  index: number;
  at: number;
  text: string;
}

function firstIn(array: string): Found | null {
  return elementAt(array, 0, afterBlanks(array, 1));
}

function elementFrom(found: Found | null, index: number): Found | null {
  let element = found;
  while (element !== null && element.index < index) {
    const { array, at, text } = element;
    element = elementAt(
      array,
      element.index + 1,
      afterBlanks(array, afterBlanks(array, at + text.length) + 1),
    );
  }
  return element;
}

function elementAt(array: string, index: number, at: number): Found | null {
  const isThere = at < array.length && array[at] !== ']';
  return isThere ? { array, index, at, text: array.slice(at, endOfValue(array, at)) } : null;
}

function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') {
    return endOfString(text, start);
  }
  if (first !== '{' && first !== '[') {
    SCALAR_END.lastIndex = start;
    return SCALAR_END.exec(text)?.index ?? text.length;
  }
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) {
      at = endOfString(text, at) - 1;
    } else if (char === OPEN_BRACE || char === OPEN_BRACKET) {
      depth += 1;
    } else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) {
      depth -= 1;
      if (depth === 0) {
        return at + 1;
      }
    }
  }
  return text.length;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === BACKSLASH) {
      at += 1;
    } else if (char === QUOTE) {
      return at + 1;
    }
  }
  return text.length;
}

function afterBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && BLANKS.has(text.charCodeAt(at))) {
    at += 1;
  }
  return at;
}

const SCALAR_END = /[\s,\]}]/g;
const BLANKS = new Set([32, 9, 10, 13]);

/**
 * @param what names the input in messages.
 * @throws AppError `invalid_input` unless the bytes are UTF-8 JSON of bounded nesting.
 */
export function parseJson(bytes: Uint8Array, what: string): { json: Json; source: JsonSource } {
  const text = decodeUtf8(bytes, what);
  const { nesting, hasLoneSurrogate } = traitsOf(text);
  if (nesting > DEPTH_LIMIT) {
    throw new AppError('invalid_input', `${what} is nested deeper than ${DEPTH_LIMIT} levels`);
  }
  try {
    const json: Json = JSON.parse(text);
    if (!hasLoneSurrogate) {
      return { json, source: JsonSource.of(text) };
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) {
      throw error;
    }
  }
  throw notJson(what);
}

/** Keeps a byte order mark, so that it is refused as invalid JSON. */
function decodeUtf8(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw notJson(what);
  }
}

function notJson(what: string): AppError {
  return new AppError('invalid_input', `${what} is not valid JSON`);
}
