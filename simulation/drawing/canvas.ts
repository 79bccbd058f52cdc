import type { Picture } from './png.ts';

export type Box = readonly [left: number, top: number, right: number, bottom: number];

/** Draws rectangles, of which floor plans are made. Colours are named as the palette has them. */
export class Canvas<Colour extends string> {
  readonly #width: number;
  readonly #height: number;
  readonly #colours: readonly Colour[];
  readonly #palette: Picture['palette'];
  readonly #pixels: Uint8Array;

  /** @param palette red, green and blue by name; the first is the ground. */
  constructor(
    width: number,
    height: number,
    palette: Readonly<Record<Colour, readonly [red: number, green: number, blue: number]>>,
  ) {
    this.#width = width;
    this.#height = height;
    this.#colours = Object.keys(palette) as Colour[];
    this.#palette = Object.values(palette);
    this.#pixels = new Uint8Array(width * height);
  }

  fill([left, top, right, bottom]: Box, colour: Colour): void {
    const index = this.#colours.indexOf(colour);
    for (let y = Math.max(0, top); y < Math.min(this.#height, bottom); y++) {
      this.#pixels.fill(
        index,
        y * this.#width + Math.max(0, left),
        y * this.#width + Math.min(this.#width, right),
      );
    }
  }

  /** The edge of a box, within it. */
  frame([left, top, right, bottom]: Box, thickness: number, colour: Colour): void {
    this.fill([left, top, right, top + thickness], colour);
    this.fill([left, bottom - thickness, right, bottom], colour);
    this.fill([left, top, left + thickness, bottom], colour);
    this.fill([right - thickness, top, right, bottom], colour);
  }

  get picture(): Picture {
    return { width: this.#width, height: this.#height, palette: this.#palette, pixels: this.#pixels };
  }
}
