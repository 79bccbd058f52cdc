import { exactInteger, LongNumber } from '../values/long-number.ts';
import { Allowance, DecodingFault, setMember } from './allowance.ts';
import type { Decoded } from './decoded.ts';

/**
 * MessagePack. Bytes become upper-case hex digits, timestamps epoch seconds with their fraction, other extensions null,
 * and keys other than text their digits. Hand-written, because it must be safe for any bytes: `@msgpack/msgpack` 3.1,
 * which the tests write with, is twice as fast, but does not limit depth and allocates arrays as large as announced:
 * 1,000 bytes of nested heads took 1.5 GiB, even with `maxArrayLength` set. It also refuses `__proto__` as a key.
 */
export function decodeMsgpack(payload: Buffer): Decoded {
  const reader = new Reader(payload);
  let value: unknown;
  try {
    value = reader.value(1);
  } catch (error) {
    if (error instanceof DecodingFault) {
      return { fault: `payload is not MessagePack: ${error.message}`, final: error.final };
    }
    throw error;
  }
  // NULs behind it are those with which C ends a text; within it they are numbers.
  if (payload.subarray(reader.at).some((byte) => byte !== 0)) {
    return { fault: 'payload is not MessagePack: bytes are left over at the end', final: false };
  }
  if (typeof value !== 'object' || value === null || value instanceof LongNumber) {
    return { fault: 'payload is MessagePack, but neither a map nor an array', final: false };
  }
  return { documents: [value] };
}

const TIMESTAMP = -1;

class Reader {
  at = 0;
  readonly #bytes: Buffer;
  readonly #allowance: Allowance;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#allowance = new Allowance(bytes.length);
  }

  value(depth: number): unknown {
    const head = this.#bytes[this.#take(1)] ?? 0;
    if (head < 0x80) {
      return head;
    }
    if (head < 0x90) {
      return this.#map(head & 0x0f, depth);
    }
    if (head < 0xa0) {
      return this.#array(head & 0x0f, depth);
    }
    if (head < 0xc0) {
      return this.#text(head & 0x1f);
    }
    return head >= 0xe0 ? head - 0x100 : this.#long(head, depth);
  }

  #long(head: number, depth: number): unknown {
    const bytes = this.#bytes;
    switch (head) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return this.#hex(this.#unsigned(1 << (head - 0xc4)));
      case 0xc7:
      case 0xc8:
      case 0xc9:
        return this.#extension(this.#unsigned(1 << (head - 0xc7)));
      case 0xca:
        return bytes.readFloatBE(this.#take(4));
      case 0xcb:
        return bytes.readDoubleBE(this.#take(8));
      case 0xcc:
      case 0xcd:
      case 0xce:
        return this.#unsigned(1 << (head - 0xcc));
      case 0xcf:
        return exactInteger(bytes.readBigUInt64BE(this.#take(8)));
      case 0xd0:
        return bytes.readInt8(this.#take(1));
      case 0xd1:
        return bytes.readInt16BE(this.#take(2));
      case 0xd2:
        return bytes.readInt32BE(this.#take(4));
      case 0xd3:
        return exactInteger(bytes.readBigInt64BE(this.#take(8)));
      case 0xd4:
      case 0xd5:
      case 0xd6:
      case 0xd7:
      case 0xd8:
        return this.#extension(1 << (head - 0xd4));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.#text(this.#unsigned(1 << (head - 0xd9)));
      case 0xdc:
      case 0xdd:
        return this.#array(this.#unsigned(2 << (head - 0xdc)), depth);
      case 0xde:
      case 0xdf:
        return this.#map(this.#unsigned(2 << (head - 0xde)), depth);
      default:
        throw new DecodingFault(`byte ${this.at - 1} begins nothing`);
    }
  }

  #array(size: number, depth: number): unknown[] {
    this.#enter(size);
    this.#allowance.enter(depth);
    const array: unknown[] = [];
    for (let index = 0; index < size; index += 1) {
      this.#allowance.element();
      array.push(this.value(depth + 1));
    }
    return array;
  }

  #map(size: number, depth: number): Record<string, unknown> {
    this.#enter(2 * size);
    this.#allowance.enter(depth);
    const map: Record<string, unknown> = {};
    let shape = 0;
    for (let index = 0; index < size; index += 1) {
      const key = keyOf(this.value(depth + 1));
      shape = this.#allowance.member(index, key, shape);
      const value = this.value(depth + 1);
      setMember(map, key, value);
    }
    return map;
  }

  #enter(values: number): void {
    // Each value takes at least one byte.
    if (values > this.#bytes.length - this.at) {
      throw new DecodingFault('it ends too early');
    }
  }

  #extension(size: number): unknown {
    const type = this.#bytes.readInt8(this.#take(1));
    const at = this.#take(size);
    return type === TIMESTAMP ? msgpackTimestamp(this.#bytes.subarray(at, at + size)) : null;
  }

  #hex(size: number): string {
    const at = this.#take(size);
    this.#allowance.text(2 * size);
    return this.#bytes.toString('hex', at, at + size).toUpperCase();
  }

  #text(size: number): string {
    const at = this.#take(size);
    this.#allowance.text(size);
    return this.#bytes.toString('utf8', at, at + size);
  }

  #unsigned(size: number): number {
    return this.#bytes.readUIntBE(this.#take(size), size);
  }

  #take(size: number): number {
    const from = this.at;
    if (size > this.#bytes.length - from) {
      throw new DecodingFault('it ends too early');
    }
    this.at = from + size;
    return from;
  }
}

function keyOf(value: unknown): string {
  if (typeof value === 'string') {
    return value;
  }
  if (typeof value === 'number') {
    return String(value);
  }
  throw new DecodingFault('a key is neither text nor a number');
}

/** MessagePack timestamp to epoch seconds; null unless it has one of the three valid sizes. */
function msgpackTimestamp(bytes: Buffer): number | LongNumber | null {
  switch (bytes.length) {
    case 4:
      return bytes.readUInt32BE();
    case 8: {
      const both = bytes.readBigUInt64BE();
      return seconds(both & 0x3_ffff_ffffn, both >> 34n);
    }
    case 12:
      return seconds(bytes.readBigInt64BE(4), BigInt(bytes.readUInt32BE()));
    default:
      return null;
  }
}

function seconds(whole: bigint, nanos: bigint): LongNumber {
  return new LongNumber(`${whole}.${String(nanos).padStart(9, '0')}`);
}
