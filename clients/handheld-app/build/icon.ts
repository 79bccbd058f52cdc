import { png } from './png.ts';

/**
 * The app's icon as pixels, the same drawing as `src/icon.svg`: a luggage tag with waves going out from its hole.
 * Browsers that install an app want it so.
 *
 * @param size pixels a side.
 * @param padding what is kept free on each side, as a fraction, for systems that cut icons to a shape of their own.
 */
export function iconPng({ size, padding }: { size: number; padding: number }): Buffer {
  const pixels = Buffer.alloc(size * size * 4);
  const scale = 64 / size / (1 - 2 * padding);
  const isCut = padding > 0;
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const offset = (y * size + x) * 4;
      const [u, v] = [toDrawing(x, size, scale), toDrawing(y, size, scale)];
      const [red, green, blue] = colourAt(u, v, scale);
      // Cut icons are full squares; the others have their own round corners.
      const alpha = isCut ? 255 : 255 * covered(roundedSquare(u - 32, v - 32, 32, 14), scale);
      pixels.set([red, green, blue, Math.round(alpha)], offset);
    }
  }
  return png(size, pixels);
}

type Colour = readonly [red: number, green: number, blue: number];

const GROUND: Colour = [11, 79, 74];
const TAG: Colour = [255, 253, 247];
const WAVE: Colour = [203, 90, 16];
const WAVES = [11, 18];

function toDrawing(pixel: number, size: number, scale: number): number {
  return (pixel + 0.5 - size / 2) * scale + 32;
}

function colourAt(u: number, v: number, scale: number): Colour {
  // The tag: a rounded square with its top left corner cut off, and a hole there.
  const cut = (34 - (u + v)) / Math.SQRT2;
  const tag = covered(Math.max(roundedSquare(u - 32, v - 32, 18, 5), cut), scale);
  const fromHole = Math.hypot(u - 24, v - 24);
  const hole = covered(fromHole - 3.6, scale);
  const isLowerRight = u > 24 && v > 24;
  const waves = WAVES.map((radius) => covered(Math.abs(fromHole - radius) - 1.9, scale));
  const withWaves = mixed(TAG, WAVE, isLowerRight ? Math.max(...waves) : 0);
  return mixed(mixed(GROUND, withWaves, tag), GROUND, hole);
}

/** Distance to a square of half width `half` with corners of radius `radius` around the origin; negative inside. */
function roundedSquare(x: number, y: number, half: number, radius: number): number {
  const [a, b] = [Math.abs(x) - half + radius, Math.abs(y) - half + radius];
  return Math.hypot(Math.max(a, 0), Math.max(b, 0)) + Math.min(Math.max(a, b), 0) - radius;
}

/** How much of a pixel lies inside, from its distance to the edge. */
function covered(distance: number, scale: number): number {
  return Math.min(1, Math.max(0, 0.5 - distance / scale));
}

function mixed(under: Colour, over: Colour, amount: number): Colour {
  const channel = (index: 0 | 1 | 2) => Math.round(under[index] + (over[index] - under[index]) * amount);
  return [channel(0), channel(1), channel(2)];
}
