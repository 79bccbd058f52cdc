/** JSON as it was written: a number keeps its digits, `12345678901234567890` as well as `1.10`. */
export type Json = string | boolean | null | ExactNumber | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

/** A number's text; `JSON.stringify` writes it unchanged. */
export interface ExactNumber {
  readonly rawJSON: string;
}

/** Nesting of arrays and objects that is accepted in a request. */
export const DEPTH_LIMIT = 64;

type Reviver = (key: string, value: unknown, context: { source: string }) => unknown;

/** What the engine has and TypeScript's library does not describe yet. */
const ExactJSON = JSON as unknown as {
  parse(text: string, reviver: Reviver): Json;
  rawJSON(text: string): ExactNumber;
  isRawJSON(value: unknown): value is ExactNumber;
};

/**
 * Parses JSON, numbers exactly. `__proto__` is a key like any other; of a repeated key the last value counts.
 *
 * The nesting must be known to be bounded ({@link nestingOf}): the engine revives recursively.
 *
 * @throws SyntaxError if it is not JSON.
 */
export function parseExactly(text: string): Json {
  return /\d/.test(text) ? ExactJSON.parse(text, keepDigits) : (JSON.parse(text) as Json);
}

const keepDigits: Reviver = (_key, value, { source }) =>
  typeof value === 'number' ? ExactJSON.rawJSON(source) : value;

export function isExactNumber(value: Json): value is ExactNumber {
  return ExactJSON.isRawJSON(value);
}

export function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

export function isJsonObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !isArray(value) && !isExactNumber(value);
}

/** How deeply arrays and objects are nested in a text, without parsing it; one pass, whatever the text. */
export function nestingOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (inString) {
      if (char === BACKSLASH) {
        at += 1;
      } else if (char === QUOTE) {
        inString = false;
      }
    } else if (char === QUOTE) {
      inString = true;
    } else if (char === OPEN_BRACE || char === OPEN_BRACKET) {
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) {
      depth -= 1;
    }
  }
  return deepest;
}

const [QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [34, 92, 123, 125, 91, 93];

/** Whether some string or key in the value passes the test. */
export function hasText(value: Json, test: (text: string) => boolean): boolean {
  if (typeof value === 'string') {
    return test(value);
  }
  if (isArray(value)) {
    return value.some((item) => hasText(item, test));
  }
  return isJsonObject(value) && Object.entries(value).some(([key, item]) => test(key) || hasText(item, test));
}
