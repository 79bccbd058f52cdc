import { BinaryValues } from './binary-values.ts';

/**
 * Arrays as parameters of a statement, for `unnest`, in the binary format: `pg` writes arrays as text, quoting every
 * element, which took a sixth of all the time that recording took of Node.js. The statement has to cast each to its
 * type, or the server would not know it.
 */
export const integers = (values: readonly (number | null)[]): Buffer =>
  array(23, values, (into, value) => into.integer(value));

export const smallints = (values: readonly (number | null)[]): Buffer =>
  array(21, values, (into, value) => into.smallint(value));

/** Whole numbers that a JavaScript number holds exactly. */
export const bigints = (values: readonly (number | null)[]): Buffer =>
  array(20, values, (into, value) => into.bigint(value));

export const doubles = (values: readonly (number | null)[]): Buffer =>
  array(701, values, (into, value) => into.double(value));

export const texts = (values: readonly (string | null)[]): Buffer =>
  array(25, values, (into, value) => into.text(value));

export const byteas = (values: readonly (Buffer | null)[]): Buffer =>
  array(17, values, (into, value) => into.bytea(value));

/** The elements of such arrays of texts, none of them null, as one. */
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

/** Bytes in front of the elements of an array that has any, and where they say how many there are. */
const HEADER = 20;
const COUNT = 12;

/** @param values microseconds since 1970; the statement has `timestamptz[]`. */
export const timestamps = (values: readonly (number | null)[]): Buffer =>
  array(1184, values, (into, value) => into.timestamp(value));

/** One dimension, counted from 1; without elements there is none. */
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
  // By index: an iterator makes an object for each of some thousands of elements.
  for (let at = 0; at < values.length; at++) {
    write(into, values[at] as Value);
  }
  return into.bytes();
}
