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
const ELEMENT = 16;
const MEMBER = 32;
/** An object with many members becomes a table of hashes. */
const MEMBERS = 32;
const MEMBER_OF_MANY = 96;
const TEXT = 16;

/**
 * Memory that a payload of binary values may take once decoded: four times the greatest payload. A byte may announce an array
 * that takes sixteen; 10,000 reads of eight values take half of this.
 */
export class Allowance {
  #left = 4 * MAX_PAYLOAD_BYTES;

  /** An array or object, without its content. */
  enter(depth: number): void {
    if (depth > MAX_DEPTH) {
      throw new DecodingFault(`nested deeper than ${MAX_DEPTH} levels`, true);
    }
    this.#take(OBJECT);
  }

  element(): void {
    this.#take(ELEMENT);
  }

  /** @param index how many members the object has already. */
  member(index: number): void {
    this.#take(index < MEMBERS ? MEMBER : MEMBER_OF_MANY);
  }

  text(length: number): void {
    this.#take(TEXT + length);
  }

  #take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) {
      throw new DecodingFault('it holds too many values', true);
    }
  }
}

/** Sets an own member, also one named `__proto__`. */
export function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}
