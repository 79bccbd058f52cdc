import type { Decoding } from '../language/definition.ts';
import type { Decoded } from './decoded.ts';
import { decodeJson, decodeJsonStream } from './json.ts';
import { decodeLines, decodeText } from './lines.ts';
import { decodeMsgpack } from './msgpack.ts';

const DECODERS: Readonly<Record<Decoding, (payload: Buffer) => Decoded>> = {
  json: decodeJson,
  'json-stream': decodeJsonStream,
  lines: decodeLines,
  msgpack: decodeMsgpack,
  text: decodeText,
};

/** Decodes with the first of `decodings` that can. Never throws; work and memory are linear in the payload. */
export function decode(decodings: readonly Decoding[], payload: Buffer): Decoded {
  const faults: string[] = [];
  for (const decoding of decodings) {
    const decoded = DECODERS[decoding](payload);
    if ('documents' in decoded || decoded.final) {
      return decoded;
    }
    faults.push(decoded.fault);
  }
  return { fault: faults.join('; '), final: true };
}
