/** What the header of an image says of it. */
export interface ImageSize {
  width: number;
  height: number;
}

/**
 * Parts of a file, of which an image of 5 MiB has some hundred: looking through a million, made of nothing else, would hold
 * up everybody.
 */
export const MOST_PARTS = 20_000;

/** Why bytes that begin like an image are none that can be shown. */
export class BrokenImage extends Error {}
