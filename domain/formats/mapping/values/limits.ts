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

/**
 * The cost of looking a value up, in characters transformed. All look-ups of an item's rule are counted at once, tried
 * or not: this takes 1 % of reading a message; one by one it took 2.6 to 5 %.
 */
export const LOOK_UP = 10;

/** The cost of following a name of a pointer, and of looking at a value that may be an item; in characters, too. */
export const NAME = 2;

/** The cost of a transform beside the characters it reads. */
export const TRANSFORM = 10;

/** The cost of showing an item that is rejected. */
export const EXCERPT = 150;

/**
 * The work that a message may cause, in characters transformed: a hundred times that of built-in formats on real
 * messages. Organizations write formats of their own; one with 200 candidates of ten transforms took 9.4 s to read 6
 * kB.
 */
export function allowedWork(payloadBytes: number): number {
  return 200_000 + 100 * payloadBytes;
}

/**
 * Work of a message that may be done where others wait. Built-in formats stay below it; a format that makes more of a
 * message has it read in a thread of its organization's.
 */
export function briefWork(payloadBytes: number): number {
  return 20_000 + 25 * payloadBytes;
}
