/**
 * Parsed JSON. Numbers are doubles; where digits matter they are read from the source text (`json-source.ts`).
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

export interface Traits {
  nesting: number;
  /** A `\u` escape is half a surrogate pair without its other half. */
  hasLoneSurrogate: boolean;
  /** A `\u` escape is U+0000. */
  hasNul: boolean;
}

/** Scans a text without parsing it, in one pass: 3 ms for 1 MiB, whatever the text. */
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
