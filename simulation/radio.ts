import { createRandom, normal, type Random } from './random.ts';

/** In metres. */
export interface Point {
  x: number;
  y: number;
}

/** An antenna of a hall, above the tags. */
export interface Mast extends Point {
  /** Tells it apart from the others. */
  number: number;
  /** Above the tags, in metres. */
  height: number;
}

/**
 * How strongly tags are heard, by the model that locations are decided by: -55 dBm at 1 m in free space, walls and shelves
 * that shadow a place from an antenna, tags that are a little stronger or weaker than others, and fading: reflections that
 * add to or take from each single read.
 */
export class Radio {
  readonly #seed: number;

  /** @param seed another one makes another hall. */
  constructor(seed: number) {
    this.#seed = seed;
  }

  /** dBm of one read, whole as gateways tell it; null if it is too weak to be heard. */
  read(mast: Mast, tag: number, at: Point, random: Random): number | null {
    const distance = Math.hypot(at.x - mast.x, at.y - mast.y, mast.height);
    const free = AT_ONE_METRE - 20 * Math.log10(Math.max(1, distance));
    const lasting = SHADOWING * this.#shadow(mast.number, at) + TAGS_APART * this.#noise(-1, tag, 0);
    const level = Math.round(free + lasting + fading(random));
    return level < WEAKEST ? null : Math.min(level, STRONGEST);
  }

  /** Changes over a few metres, and never in time. */
  #shadow(mast: number, { x, y }: Point): number {
    const [left, top] = [Math.floor(x / SHADE), Math.floor(y / SHADE)];
    const [right, bottom] = [x / SHADE - left, y / SHADE - top];
    const corner = (dx: number, dy: number) => this.#noise(mast, left + dx, top + dy);
    return (
      (1 - bottom) * ((1 - right) * corner(0, 0) + right * corner(1, 0)) +
      bottom * ((1 - right) * corner(0, 1) + right * corner(1, 1))
    );
  }

  /** Standard normal; the same for the same numbers. */
  #noise(mast: number, x: number, y: number): number {
    let mixed = this.#seed;
    for (const number of [mast, x, y]) {
      mixed = Math.imul(mixed ^ (number + 0x9e3779b9), 0x85ebca6b);
      mixed ^= mixed >>> 15;
    }
    return normal(createRandom(mixed));
  }
}

/** Rayleigh: the power is exponential, its mean 1. Deep fades are frequent, gains of more than 6 dB rare. */
function fading(random: Random): number {
  return 10 * Math.log10(-Math.log(1 - random.fraction()) + 1e-9);
}

/** A beacon at 0 dBm. */
const AT_ONE_METRE = -55;

/** Standard deviations, in dB. */
const SHADOWING = 4;
const TAGS_APART = 2;

/** Metres. */
const SHADE = 3;

/** dBm. */
const WEAKEST = -96;
const STRONGEST = -20;
