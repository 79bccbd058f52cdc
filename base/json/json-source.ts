import { AppError } from '../errors.ts';
import { DEPTH_LIMIT, type Json, traitsOf } from './exact-json.ts';
/**
 * The source text of a parsed value: text to be kept as sent is cut out of it, and digits that no double holds are read
 * from it. Nothing is searched before the text is asked for.
 */
export class JsonSource {
  readonly #find: () => string | null;

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
      throw new Error('a value was read that its text does not have');
    }
    return text;
  }

  /** The last value of a repeated key. */
  member(key: string): JsonSource {
    return new JsonSource(() => memberIn(this.text, key));
  }

  element(index: number): JsonSource {
    return new JsonSource(() => elementIn(this.text, index));
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

function elementIn(array: string, index: number): string | null {
  let at = afterBlanks(array, 1);
  for (let left = index; array[at] !== ']' && at < array.length; left--) {
    const end = endOfValue(array, at);
    if (left === 0) {
      return array.slice(at, end);
    }
    at = afterBlanks(array, afterBlanks(array, end) + 1);
  }
  return null;
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
const [QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [34, 92, 123, 125, 91, 93];

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

/** Keeps a byte order mark, so that it is refused as what it is: not JSON. */
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
