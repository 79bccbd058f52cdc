export const MAX_PAYLOAD_BYTES = 1_048_576;
export const MAX_ITEMS = 10_000;
/** Deepest nesting of arrays and objects: `[[]]` is two levels. */
export const MAX_DEPTH = 64;
/**
 * Longest text a transform reads, in UTF-16 units. A whole extended advertisement in hex has 3,300. A value of the root
 * may be transformed once per item, so unbounded the work would be quadratic in the payload.
 */
export const MAX_TEXT = 4_096;
