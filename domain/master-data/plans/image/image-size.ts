/** What the header of an image says of it. */
export interface ImageSize {
  width: number;
  height: number;
}

/** Why bytes that begin like an image are none that can be shown. */
export class BrokenImage extends Error {}
