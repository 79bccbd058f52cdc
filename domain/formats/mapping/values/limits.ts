export const MAX_PAYLOAD_BYTES = 1_048_576;
export const MAX_ITEMS = 10_000;
/** Deepest nesting of arrays and objects: `[[]]` is two levels. */
export const MAX_DEPTH = 64;
/**
 * Longest text a transform reads, in UTF-16 units. A whole extended advertisement in hex has 3,300. A value
 * of the root may be transformed once per item, so without a limit the work would be quadratic in the
 * payload.
 */
export const MAX_TEXT = 4_096;

/** What looking a value up costs, in characters transformed. */
export const LOOK_UP = 10;

/**
 * Work that a message may make, in characters transformed: a hundred times as much as with built-in formats. Organizations
 * write formats of their own; one with 200 candidates of ten transforms, of a text of the root, took 9.4 s to read 6 kB.
 */
export function allowedWork(payloadBytes: number): number {
  return 1_000_000 + 500 * payloadBytes;
}
