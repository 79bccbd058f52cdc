import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { ProtobufFieldDefinition } from '../../domain/formats/mapping/language/definition.ts';

/** Writes as much of a value as the fields have a place for; what does not fit its type is left out. */
export function encodeProtobuf(fields: readonly ProtobufFieldDefinition[], value: unknown): Buffer {
  const writer = new BinaryWriter();
  if (typeof value === 'object' && value !== null) {
    for (const field of fields) {
      const member = (value as Record<string, unknown>)[field.name];
      for (const each of Array.isArray(member) ? member : [member]) {
        write(writer, field, each);
      }
    }
  }
  return Buffer.from(writer.finish());
}

function write(writer: BinaryWriter, { field, type, fields }: ProtobufFieldDefinition, value: unknown): void {
  if (value === undefined || value === null) {
    return;
  }
  if (fields !== undefined) {
    writer.tag(field, WireType.LengthDelimited).bytes(encodeProtobuf(fields, value));
    return;
  }
  if (typeof value === 'object') {
    return;
  }
  if (type === 'bytes') {
    writer.tag(field, WireType.LengthDelimited).bytes(Buffer.from(String(value), 'hex'));
  } else if (type === 'string') {
    writer.tag(field, WireType.LengthDelimited).string(String(value));
  } else if (type === 'float' || type === 'double') {
    writer.tag(field, type === 'float' ? WireType.Bit32 : WireType.Bit64)[type](Number(value) || 0);
  } else if (type !== undefined && Number.isInteger(Number(value))) {
    writeInteger(writer, field, type, Number(value));
  }
}

const BITS = 2n ** 64n;

function writeInteger(writer: BinaryWriter, field: number, type: string, value: number): void {
  const whole = BigInt(value);
  if (type.endsWith('fixed32')) {
    writer.tag(field, WireType.Bit32).fixed32(Number(BigInt.asUintN(32, whole)));
  } else if (type.endsWith('fixed64')) {
    writer.tag(field, WireType.Bit64).fixed64(BigInt.asUintN(64, whole));
  } else if (type.startsWith('sint')) {
    writer.tag(field, WireType.Varint).sint64(BigInt.asIntN(64, whole));
  } else {
    writer.tag(field, WireType.Varint).uint64(((whole % BITS) + BITS) % BITS);
  }
}
