import type { Compilation } from '../language/compilation.ts';
import type { Decoding, DecodingDefinition } from '../language/definition.ts';
import { decodeCbor } from './cbor.ts';
import type { Decoded } from './decoded.ts';
import { decodeJson, decodeJsonStream } from './json.ts';
import { decodeBytes, decodeLines, decodeText } from './lines.ts';
import { decodeMsgpack } from './msgpack.ts';
import { compileProtobuf } from './protobuf.ts';

/** Never throws; work and memory are linear in the payload. */
export type Decoder = (payload: Buffer) => Decoded;

const DECODERS: Readonly<Record<Decoding, Decoder>> = {
  json: decodeJson,
  'json-stream': decodeJsonStream,
  lines: decodeLines,
  msgpack: decodeMsgpack,
  cbor: decodeCbor,
  text: decodeText,
  bytes: decodeBytes,
};

export function compileDecoders(
  decode: DecodingDefinition | readonly DecodingDefinition[],
  compilation: Compilation,
): Decoder[] {
  return [decode].flat().map((decoding: DecodingDefinition, index) => {
    if (typeof decoding === 'string') {
      return DECODERS[decoding];
    }
    const at = `/decode${Array.isArray(decode) ? `/${index}` : ''}/protobuf`;
    return compileProtobuf(decoding.protobuf, at, compilation);
  });
}

/** Decodes with the first of `decoders` that can. */
export function decode(decoders: readonly Decoder[], payload: Buffer): Decoded {
  const faults: string[] = [];
  for (const decoder of decoders) {
    const decoded = decoder(payload);
    if ('documents' in decoded || decoded.final) {
      return decoded;
    }
    faults.push(decoded.fault);
  }
  return { fault: faults.join('; '), final: true };
}
