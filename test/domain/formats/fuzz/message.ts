import { encode } from '@msgpack/msgpack';
import { encode as encodeCbor } from 'cborg';
import type { Format } from '../../../../domain/formats/mapping/format.ts';
import {
  type DecodingDefinition,
  IDENTITIES,
} from '../../../../domain/formats/mapping/language/definition.ts';
import type { Message, Policies } from '../../../../domain/formats/mapping/run.ts';
import type { Target } from '../../../support/fuzz-targets.ts';
import { largePayload } from '../../../support/large-payloads.ts';
import { encodeProtobuf } from '../../../support/protobuf.ts';
import { Random } from '../../../support/random.ts';
import { changeBytes, soup } from './change-bytes.ts';
import { changeValue } from './change-value.ts';

export interface FuzzedMessage {
  format: Format;
  message: Message;
  policies: Partial<Policies>;
}

/** The `index`th message of `seed`: always the same one. */
export function fuzzedMessage(targets: readonly Target[], seed: number, index: number): FuzzedMessage {
  const random = new Random(seed, index);
  const { format, seeds } = targets[index % targets.length] as Target;
  const { topic, payload } = random.pick(seeds);
  const other = random.pick(random.pick(targets).seeds).payload;
  return {
    format,
    message: {
      topic: random.once(5) ? anyTopic(topic, random) : topic,
      payload: fuzzedPayload(payload, other, format, random),
    },
    policies: random.once(2)
      ? {}
      : { identity: random.pick(IDENTITIES), time: random.pick(['device', 'receive']) },
  };
}

function fuzzedPayload(payload: Buffer, other: Buffer, format: Format, random: Random): Buffer {
  if (random.once(1_000)) {
    return largePayload(payload, random);
  }
  switch (random.below(12)) {
    case 0:
      return random.bytes(200);
    case 1:
      return soup(random);
    case 2:
      return payload;
    case 3:
    case 4:
    case 5:
      return changeBytes(payload, other, random);
    default:
      return fuzzedValue(payload, other, format, random);
  }
}

/** A changed document, written in a decoding of the format, perhaps several of them, perhaps broken. */
function fuzzedValue(payload: Buffer, other: Buffer, format: Format, random: Random): Buffer {
  const changed = changeValue(parsed(payload, format), parsed(other, format), random);
  const [decoding] = [format.definition.decode].flat();
  const bytes = random.once(8) ? asJson(changed) : written(changed, decoding, random);
  if (random.once(8)) {
    return changeBytes(bytes, other, random);
  }
  const between = random.pick(['', '', '\n', ' ', '\u001e', 'x']);
  return random.once(8) ? Buffer.concat([bytes, Buffer.from(between), bytes]) : bytes;
}

function parsed(payload: Buffer, { decoders: [decode] }: Format): unknown {
  const text = payload.toString();
  try {
    return JSON.parse(text);
  } catch {
    const decoded = decode?.(payload);
    return decoded !== undefined && 'documents' in decoded ? decoded.documents[0] : text.split('\n');
  }
}

function asJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value) ?? 'null');
}

function written(value: unknown, decoding: DecodingDefinition | undefined, random: Random): Buffer {
  if (typeof decoding === 'object') {
    return encodeProtobuf(decoding.protobuf, value);
  }
  if (decoding === 'cbor') {
    return Buffer.from(
      encodeCbor(random.once(4) ? [value, random.bytes(300), 2n ** 63n, -(2n ** 62n)] : value),
    );
  }
  return decoding === 'msgpack' ? packed(value, random) : asJson(value);
}

/** In the forms of MessagePack that JSON has nothing for, too. */
function packed(value: unknown, random: Random): Buffer {
  const forms = {
    forceFloat32: random.once(4),
    forceIntegerToFloat: random.once(4),
  };
  return Buffer.from(
    encode(random.once(4) ? exotic(value, random) : value, { maxDepth: 300, useBigInt64: true, ...forms }),
  );
}

function exotic(value: unknown, random: Random): unknown {
  const other = random.pick([
    random.bytes(300),
    new Date(random.below(2 ** 31) * 1_000),
    2n ** 63n,
    -(2n ** 62n),
  ]);
  return Array.isArray(value)
    ? [...value, other, { v: other, at: other }]
    : { value, data: [other], v: other };
}

function anyTopic(topic: string, random: Random): string {
  const parts = ['', '/', 'LWT', 'BTtoMQTT', 'a', '/x'.repeat(random.below(300)), '\ud800', topic];
  return Array.from({ length: random.below(5) }, () => random.pick(parts)).join('/');
}
