import { type Token, Tokenizer, Type } from 'cborg';
import { messageOf } from '../../../../base/errors.ts';
import { exactInteger, LongNumber } from '../values/long-number.ts';
import { Allowance, DecodingFault, setMember } from './allowance.ts';
import type { Decoded } from './decoded.ts';

/**
 * CBOR (RFC 8949). Bytes become upper-case hex digits, keys that are not text their digits; of a tag its content counts.
 *
 * cborg reads the heads, numbers and texts, and this builds the values: of the kept libraries only it can be stopped between
 * two values. `cbor-x` is faster, but makes arrays as large as announced, and nests without a bound; `cbor2` likewise nests.
 */
export function decodeCbor(payload: Buffer): Decoded {
  const reader = new Reader(payload);
  let value: unknown;
  try {
    value = reader.value(1);
    reader.end();
  } catch (error) {
    if (error instanceof DecodingFault) {
      return { fault: `payload is not CBOR: ${error.message}`, final: error.final };
    }
    throw error;
  }
  if (typeof value !== 'object' || value === null || value instanceof LongNumber) {
    return { fault: 'payload is CBOR, but neither a map nor an array', final: false };
  }
  return { documents: [value] };
}

const BREAK = Symbol('break');
const PREFIX = /^CBOR decode error: /;

class Reader {
  readonly #payload: Buffer;
  readonly #tokens: Tokenizer;
  readonly #allowance: Allowance;

  constructor(payload: Buffer) {
    this.#payload = payload;
    this.#allowance = new Allowance(payload.length);
    this.#tokens = new Tokenizer(payload, { allowBigInt: true });
  }

  value(depth: number): unknown {
    const value = this.#valueOrBreak(depth);
    if (value === BREAK) {
      throw new DecodingFault('a break stands where a value should');
    }
    return value;
  }

  /** NULs behind the value are those with which C ends a text. */
  end(): void {
    if (this.#payload.subarray(this.#tokens.pos()).some((byte) => byte !== 0)) {
      throw new DecodingFault('bytes are left over at the end');
    }
  }

  #valueOrBreak(depth: number): unknown {
    const { type, value } = this.#next();
    switch (type) {
      case Type.array:
        return this.#array(value, depth);
      case Type.map:
        return this.#map(value, depth);
      case Type.tag:
        this.#allowance.enter(depth);
        return this.value(depth + 1);
      case Type.bytes:
        this.#allowance.text(2 * value.length);
        return Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex').toUpperCase();
      case Type.string:
        this.#allowance.text(value.length);
        return value;
      case Type.break:
        return BREAK;
      case Type.undefined:
        return null;
      default:
        return typeof value === 'bigint' ? exactInteger(value) : value;
    }
  }

  #next(): Token {
    if (this.#tokens.done()) {
      throw new DecodingFault('it ends too early');
    }
    try {
      return this.#tokens.next();
    } catch (error) {
      throw new DecodingFault(messageOf(error).replace(PREFIX, ''));
    }
  }

  /** @param size infinite up to a break. */
  #array(size: number, depth: number): unknown[] {
    this.#announced(size);
    this.#allowance.enter(depth);
    const array: unknown[] = [];
    for (let index = 0; index < size; index += 1) {
      this.#allowance.element();
      const value = this.#valueOrEnd(size, depth + 1);
      if (value === BREAK) {
        break;
      }
      array.push(value);
    }
    return array;
  }

  #map(size: number, depth: number): Record<string, unknown> {
    this.#announced(2 * size);
    this.#allowance.enter(depth);
    const map: Record<string, unknown> = {};
    let shape = 0;
    for (let index = 0; index < size; index += 1) {
      const value = this.#valueOrEnd(size, depth + 1);
      if (value === BREAK) {
        break;
      }
      const key = keyOf(value);
      shape = this.#allowance.member(index, key, shape);
      setMember(map, key, this.value(depth + 1));
    }
    return map;
  }

  #valueOrEnd(size: number, depth: number): unknown {
    return size === Number.POSITIVE_INFINITY ? this.#valueOrBreak(depth) : this.value(depth);
  }

  /** Each value takes at least one byte. */
  #announced(values: number): void {
    if (values !== Number.POSITIVE_INFINITY && values > this.#payload.length - this.#tokens.pos()) {
      throw new DecodingFault('it ends too early');
    }
  }
}

function keyOf(value: unknown): string {
  if (typeof value === 'string') {
    return value;
  }
  if (typeof value === 'number') {
    return String(value);
  }
  if (value instanceof LongNumber) {
    return LongNumber.text(value);
  }
  throw new DecodingFault('a key is neither text nor a number');
}
