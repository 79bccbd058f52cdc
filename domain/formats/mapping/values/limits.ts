/** Largest payload that is looked at, in bytes. */
export const MAX_PAYLOAD_BYTES = 1_048_576;
/** Most items that one message may hold, over all its rules. */
export const MAX_ITEMS = 10_000;
/** Deepest nesting of arrays and objects: `[[]]` is two levels. */
export const MAX_DEPTH = 64;
/**
 * Longest text a transform looks at, in UTF-16 units. A whole extended advertisement in hex digits is 3,300. A value
 * of the root may be transformed once for every item, so without a bound the work would grow with the square of
 * the payload.
 */
export const MAX_TEXT = 4_096;
