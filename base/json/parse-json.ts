import { AppError } from '../errors.ts';
import { DEPTH_LIMIT, type Json, traitsOf } from './exact-json.ts';
import { JsonSource } from './json-source.ts';

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
