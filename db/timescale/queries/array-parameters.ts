/**
 * Array parameters for `unnest` in binary format. `pg` writes arrays as text, quoting every element, which
 * took a sixth of Node.js's time for recording. The statement must cast each to its type, which the server
 * cannot infer.
 */
export const integers = (values: readonly (number | null)[]): Buffer =>
  array(23, values, (into, value) => into.integer(value));

export const smallints = (values: readonly (number | null)[]): Buffer =>
  array(21, values, (into, value) => into.smallint(value));

/** Safe integers only. */
export const bigints = (values: readonly (number | null)[]): Buffer =>
  array(20, values, (into, value) => into.bigint(value));

export const doubles = (values: readonly (number | null)[]): Buffer =>
  array(701, values, (into, value) => into.double(value));

export const texts = (values: readonly (string | null)[]): Buffer =>
  array(25, values, (into, value) => into.text(value));

export const byteas = (values: readonly (Buffer | null)[]): Buffer =>
  array(17, values, (into, value) => into.bytea(value));

/** Concatenates such arrays of texts, none of them null. */
export function joinedTexts(arrays: readonly Uint8Array[]): Buffer {
  const filled = arrays.filter(({ length }) => length > HEADER).map(asBuffer);
  const [first] = filled;
  if (first === undefined) {
    return texts([]);
  }
  const joined = Buffer.concat([first.subarray(0, HEADER), ...filled.map((array) => array.subarray(HEADER))]);
  joined.writeInt32BE(
    filled.reduce((count, array) => count + array.readInt32BE(COUNT), 0),
    COUNT,
  );
  return joined;
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Bytes before the elements of a non-empty array, and offset of their count. */
const HEADER = 20;
const COUNT = 12;

/** @param values microseconds since 1970, for `timestamptz[]`. */
export const timestamps = (values: readonly (number | null)[]): Buffer =>
  array(1184, values, (into, value) => into.timestamp(value));

/** One-dimensional, from 1; an empty array has no dimension. */
function array<Value>(
  oid: number,
  values: readonly Value[],
  write: (into: BinaryValues, value: Value) => void,
): Buffer {
  const into = new BinaryValues();
  into.raw32(values.length === 0 ? 0 : 1);
  into.raw32(values.includes(null as Value) ? 1 : 0);
  into.raw32(oid);
  if (values.length > 0) {
    into.raw32(values.length);
    into.raw32(1);
  }
  // By index: an iterator allocates an object for each of some thousands of elements.
  for (let at = 0; at < values.length; at++) {
    write(into, values[at] as Value);
  }
  return into.bytes();
}

/**
 * Encodes values in PostgreSQL's binary format, each behind its length, as in rows of a binary COPY and elements of a
 * binary array. Cheaper than text for both sides.
 */
export class BinaryValues {
  #buffer = Buffer.allocUnsafe(FIRST_SIZE);
  #length = 0;

  null(): void {
    this.raw32(-1);
  }

  boolean(value: boolean): void {
    this.#reserve(5);
    this.#length = this.#buffer.writeInt32BE(1, this.#length);
    this.#length = this.#buffer.writeUInt8(value ? 1 : 0, this.#length);
  }

  smallint(value: number | null): void {
    if (value === null) {
      this.null();
    } else {
      this.raw32(2);
      this.raw16(value);
    }
  }

  integer(value: number | null): void {
    if (value === null) {
      this.null();
    } else {
      this.raw32(4);
      this.raw32(value);
    }
  }

  /** Safe integers only. */
  bigint(value: number | null): void {
    if (value === null) {
      this.null();
    } else {
      this.#reserve(12);
      const high = Math.floor(value / 2 ** 32);
      this.#length = this.#buffer.writeInt32BE(8, this.#length);
      this.#length = this.#buffer.writeInt32BE(high, this.#length);
      this.#length = this.#buffer.writeUInt32BE(value - high * 2 ** 32, this.#length);
    }
  }

  double(value: number | null): void {
    if (value === null) {
      this.null();
    } else {
      this.#reserve(12);
      this.#length = this.#buffer.writeInt32BE(8, this.#length);
      this.#length = this.#buffer.writeDoubleBE(value, this.#length);
    }
  }

  /** @param micros since 1970; PostgreSQL counts from 2000. */
  timestamp(micros: number | null): void {
    this.bigint(micros === null ? null : micros - MICROS_OF_2000);
  }

  text(value: string | null): void {
    if (value === null) {
      this.null();
    } else {
      this.#reserve(4 + MOST_BYTES_A_UNIT * value.length);
      const bytes = this.#buffer.write(value, this.#length + 4);
      this.#buffer.writeInt32BE(bytes, this.#length);
      this.#length += 4 + bytes;
    }
  }

  bytea(value: Buffer | null): void {
    if (value === null) {
      this.null();
    } else {
      this.raw32(value.length);
      this.#reserve(value.length);
      this.raw(value);
    }
  }

  raw16(value: number): void {
    this.#reserve(2);
    this.#length = this.#buffer.writeInt16BE(value, this.#length);
  }

  raw32(value: number): void {
    this.#reserve(4);
    this.#length = this.#buffer.writeInt32BE(value, this.#length);
  }

  raw(bytes: Buffer): void {
    this.#reserve(bytes.length);
    this.#length += bytes.copy(this.#buffer, this.#length);
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * this.#buffer.length, this.#length + bytes));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
  }
}

const FIRST_SIZE = 4_096;
/** Longest UTF-8 encoding of one UTF-16 unit. */
const MOST_BYTES_A_UNIT = 3;
const MICROS_OF_2000 = Date.UTC(2000, 0, 1) * 1_000;
