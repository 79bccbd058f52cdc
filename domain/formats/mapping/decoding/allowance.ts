import { MAX_DEPTH, MAX_PAYLOAD_BYTES } from '../values/limits.ts';

/** The reason why a payload cannot be decoded. */
export class DecodingFault extends Error {
  /** No other decoding is tried. */
  readonly final: boolean;

  constructor(message: string, final = false) {
    super(message);
    this.final = final;
  }
}

/** Approximate bytes that the engine takes for a value of each kind. */
const OBJECT = 64;
/** While an array grows, it is there twice. */
const ELEMENT = 24;
const MEMBER = 32;
const TEXT = 16;
/** The engine keeps a description of each different sequence of keys, besides the members themselves. */
const SHAPE = 256;
/** An object with more members becomes a table of hashes. */
const MEMBERS = 128;
const MEMBER_OF_MANY = 120;
/** A member whose key is a number is kept in an array, or a table, of the object's own. */
const INDEX = 216;
const MOST_DIGITS = 10;

/** No payload of fewer bytes can take too much. */
const LARGE = MAX_PAYLOAD_BYTES / 32;

/**
 * Memory that a payload may take once decoded: four times the greatest payload. A byte may announce an array that takes
 * sixty-four; what real readers send takes up to three times its size.
 */
export class Allowance {
  readonly isLarge: boolean;
  #left = 4 * MAX_PAYLOAD_BYTES;
  readonly #shapes = new Set<number>();

  constructor(payloadBytes: number) {
    this.isLarge = payloadBytes > LARGE;
  }

  /** An array or object, without its content. */
  enter(depth: number): void {
    if (depth > MAX_DEPTH) {
      throw new DecodingFault(`nested deeper than ${MAX_DEPTH} levels`, true);
    }
    this.take(OBJECT);
  }

  element(): void {
    this.take(ELEMENT);
  }

  /**
   * @param index how many members the object has already.
   * @param shape a hash of their keys.
   * @returns a hash of all its keys.
   */
  member(index: number, key: string, shape: number): number {
    this.take(MEMBER);
    if (!this.isLarge) {
      return shape;
    }
    let hash = shape;
    for (let at = 0; at < key.length; at++) {
      hash = withUnit(hash, key.charCodeAt(at));
    }
    const grown = withUnit(hash, BEHIND_KEY);
    this.shape(index, grown, { length: key.length, first: key.charCodeAt(0) });
    return grown;
  }

  /** Takes what a key costs in an object that has `index` others. */
  shape(index: number, shape: number, { length, first }: { length: number; first: number }): void {
    if (length <= MOST_DIGITS && first >= 0x30 && first <= 0x39) {
      this.take(INDEX);
    } else if (index >= MEMBERS) {
      this.take(MEMBER_OF_MANY + length);
    } else if (!this.#shapes.has(shape)) {
      this.#shapes.add(shape);
      this.take(SHAPE + length);
    }
  }

  text(length: number): void {
    this.take(TEXT + length);
  }

  take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) {
      throw new DecodingFault('it holds too many values; send fewer in a message', true);
    }
  }
}

const BEHIND_KEY = -1;

/** A hash with one unit of a text more. */
export function withUnit(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}

/** Sets an own member, also one named `__proto__`. */
export function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}
