import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { messageOf } from '../../../../base/errors.ts';
import type { Compilation } from '../language/compilation.ts';
import type { ProtobufFieldDefinition, ProtobufType } from '../language/definition.ts';
import { exactInteger, type LongNumber } from '../values/long-number.ts';
import { printable } from '../values/printable.ts';
import { Allowance, DecodingFault, setMember } from './allowance.ts';
import type { Decoded } from './decoded.ts';

type Value = string | number | boolean | LongNumber;

interface Type {
  readonly wire: WireType;
  readonly read: (reader: BinaryReader) => Value;
}

/** A message's fields by their numbers. */
type Message = ReadonlyMap<number, Field>;

interface Field {
  readonly name: string;
  readonly isRepeated: boolean;
  readonly type: Type | null;
  readonly message: Message | null;
}

const varint = (read: Type['read']): Type => ({ wire: WireType.Varint, read });
const bit32 = (read: Type['read']): Type => ({ wire: WireType.Bit32, read });
const bit64 = (read: Type['read']): Type => ({ wire: WireType.Bit64, read });

const TYPES: Readonly<Record<ProtobufType, Type>> = {
  int32: varint((reader) => reader.int32()),
  int64: varint((reader) => exactInteger(BigInt(reader.int64()))),
  uint32: varint((reader) => reader.uint32()),
  uint64: varint((reader) => exactInteger(BigInt(reader.uint64()))),
  sint32: varint((reader) => reader.sint32()),
  sint64: varint((reader) => exactInteger(BigInt(reader.sint64()))),
  bool: varint((reader) => reader.bool()),
  fixed32: bit32((reader) => reader.fixed32()),
  fixed64: bit64((reader) => exactInteger(BigInt(reader.fixed64()))),
  sfixed32: bit32((reader) => reader.sfixed32()),
  sfixed64: bit64((reader) => exactInteger(BigInt(reader.sfixed64()))),
  float: bit32((reader) => shortest(reader.float())),
  double: bit64((reader) => reader.double()),
  string: { wire: WireType.LengthDelimited, read: (reader) => reader.string() },
  bytes: { wire: WireType.LengthDelimited, read: hexDigits },
};

/** The number that was written: 4.8 in single precision is 4.800000190734863, and beyond a bound of 4.8. */
function shortest(single: number): number {
  const short = Number(single.toPrecision(7));
  return Math.fround(short) === single ? short : single;
}

function hexDigits(reader: BinaryReader): string {
  const bytes = reader.bytes();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex').toUpperCase();
}

/** Deepest nesting of messages that a format may describe. */
const DEEPEST = 16;

/**
 * Protocol Buffers by field numbers; fields that the format does not name are skipped. Bytes become upper-case hex
 * digits. The wire reader of `@bufbuild/protobuf` reads values; messages are read here, nested as deep as the format
 * says, without groups. `protobufjs` generates code at run time, and `pbf` reads beyond the end of a payload.
 */
export function compileProtobuf(
  definitions: readonly ProtobufFieldDefinition[],
  at: string,
  compilation: Compilation,
): (payload: Buffer) => Decoded {
  const message = compileMessage(definitions, at, compilation, 1);
  return (payload) => {
    if (payload.length === 0) {
      return { fault: 'payload is empty', final: false };
    }
    try {
      const run = { payload, reader: new BinaryReader(payload), allowance: new Allowance(payload.length) };
      return { documents: [readMessage(run, message, payload.length, 1)] };
    } catch (error) {
      // The reader throws Error and RangeError for bytes that are not protobuf.
      if (error instanceof TypeError) {
        throw error;
      }
      const isFinal = error instanceof DecodingFault && error.final;
      return { fault: `payload is not protobuf: ${messageOf(error)}`, final: isFinal };
    }
  };
}

function compileMessage(
  definitions: readonly ProtobufFieldDefinition[],
  at: string,
  compilation: Compilation,
  depth: number,
): Message {
  const message = new Map<number, Field>();
  const names = new Set<string>();
  if (depth > DEEPEST) {
    compilation.fault(at, `is nested deeper than ${DEEPEST} messages`);
    return message;
  }
  for (const [index, { field, name, repeated, type, fields }] of definitions.entries()) {
    const here = `${at}/${index}`;
    compilation.steps += 1;
    if ((type === undefined) === (fields === undefined)) {
      compilation.fault(here, 'must have either type or fields');
    }
    if (message.has(field) || names.has(name)) {
      compilation.fault(here, `must have a number and a name of its own: ${field}, ${printable(name, 63)}`);
    }
    names.add(name);
    message.set(field, {
      name,
      isRepeated: repeated === true,
      type: type === undefined ? null : TYPES[type],
      message: fields === undefined ? null : compileMessage(fields, `${here}/fields`, compilation, depth + 1),
    });
  }
  return message;
}

interface Run {
  readonly payload: Buffer;
  readonly reader: BinaryReader;
  readonly allowance: Allowance;
}

function readMessage(run: Run, message: Message, end: number, depth: number): Record<string, unknown> {
  const { reader, allowance } = run;
  allowance.enter(depth);
  const object: Record<string, unknown> = {};
  let members = 0;
  let shape = 0;
  while (reader.pos < end) {
    const tag = reader.uint32();
    const field = message.get(tag >>> 3);
    const wire = tag & 7;
    if (tag === 0 && depth === 1 && run.payload.subarray(reader.pos).every((byte) => byte === 0)) {
      // NULs behind a message are those with which C ends a text.
      return object;
    }
    if (field === undefined) {
      skip(reader, tag >>> 3, wire);
      continue;
    }
    if (!Object.hasOwn(object, field.name)) {
      shape = allowance.member(members, field.name, shape);
      members += 1;
      setMember(object, field.name, field.isRepeated ? [] : null);
    }
    if (field.isRepeated) {
      readRepeated(run, field, wire, object[field.name] as unknown[], end, depth);
    } else {
      setMember(object, field.name, readValue(run, field, wire, end, depth));
    }
  }
  if (reader.pos !== end) {
    throw new DecodingFault('a field reaches beyond its message');
  }
  return object;
}

function skip(reader: BinaryReader, field: number, wire: number): void {
  if (field === 0 || wire === WireType.StartGroup || wire === WireType.EndGroup || wire > WireType.Bit32) {
    throw new DecodingFault(`field ${field} has the wire type ${wire}`);
  }
  reader.skip(wire);
}

function readValue(run: Run, field: Field, wire: number, end: number, depth: number): unknown {
  const { reader, allowance } = run;
  if (wire !== (field.type?.wire ?? WireType.LengthDelimited)) {
    throw new DecodingFault(`${printable(field.name, 63)} has the wire type ${wire}`);
  }
  if (field.message !== null) {
    return readMessage(run, field.message, endOf(reader, end), depth + 1);
  }
  const value = field.type?.read(reader);
  if (typeof value === 'string') {
    allowance.text(value.length);
  }
  return value;
}

/** Numbers may also be packed: one after another in one field. */
function readRepeated(
  run: Run,
  field: Field,
  wire: number,
  into: unknown[],
  end: number,
  depth: number,
): void {
  const { reader, allowance } = run;
  const { type } = field;
  if (type !== null && type.wire !== WireType.LengthDelimited && wire === WireType.LengthDelimited) {
    const endOfPacked = endOf(reader, end);
    while (reader.pos < endOfPacked) {
      allowance.element();
      into.push(type.read(reader));
    }
    return;
  }
  allowance.element();
  into.push(readValue(run, field, wire, end, depth));
}

function endOf(reader: BinaryReader, end: number): number {
  const length = reader.uint32();
  if (length > end - reader.pos) {
    throw new DecodingFault('a field reaches beyond its message');
  }
  return reader.pos + length;
}
