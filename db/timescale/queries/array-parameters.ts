import { BinaryValues } from './binary-values.ts';

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
