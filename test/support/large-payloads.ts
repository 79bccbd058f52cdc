import { encode } from '@msgpack/msgpack';
import { MAX_PAYLOAD_BYTES } from '../../domain/formats/mapping/values/limits.ts';
import { Random } from './random.ts';

/** Payloads near the limits, of the kinds that could cost time or memory out of proportion. */
const KINDS: readonly ((seed: Buffer, size: number) => Buffer)[] = [
  (_seed, size) => Buffer.from('['.repeat(size)),
  (_seed, size) => Buffer.from('{"data":'.repeat(size / 8)),
  (_seed, size) => Buffer.from(`[${'"'.padEnd(size, 'A')}"]`),
  (_seed, size) => Buffer.from(`[{"v":"${'\\"'.repeat(size / 2)}"}]`),
  (_seed, size) => Buffer.from(`[${'9'.repeat(size)}]`),
  (_seed, size) => Buffer.from(`[0.${'1'.repeat(size)}e${'9'.repeat(9)}]`),
  (_seed, size) => Buffer.from(`[${Array.from({ length: size / 21 }, () => '17805918222810019991').join()}]`),
  (_seed, size) => Buffer.from(`[17805918222810019991${',1'.repeat(size / 2 - 20)}]`),
  (_seed, size) => Buffer.from(`[${'[],'.repeat(size / 3)}[]]`),
  (_seed, size) => Buffer.from(`[${'{"list":[{}]},'.repeat(size / 14)}{}]`),
  (_seed, size) => Buffer.from(`{${Array.from({ length: size / 12 }, (_, at) => `"k${at}":0`).join()}}`),
  (_seed, size) => Buffer.from('{}'.repeat(size / 2)),
  (_seed, size) => Buffer.from(`[""${',0.5'.repeat(size / 4 - 1)}]`),
  (_seed, size) => Buffer.from(`[${'{"999":1},'.repeat(size / 10 - 1)}{}]`),
  // Objects unlike each other: with keys of their own, or the same in another order.
  (_seed, size) => Buffer.from(`[${Array.from({ length: size / 12 }, (_, at) => `{"k${at}":0}`).join()}]`),
  (_seed, size) => Buffer.from(`[${Array.from({ length: size / 182 }, (_, at) => inOrder(at)).join()}]`),
  (_seed, size) => Buffer.from(','.repeat(size)),
  (_seed, size) => Buffer.from('"'.repeat(size)),
  (_seed, size) => Buffer.from('\n,'.repeat(size / 2)),
  (_seed, size) => Buffer.alloc(size, 0x91),
  (_seed, size) => Buffer.alloc(size, 0xc0),
  (_seed, size) => Buffer.concat([Buffer.from([0xdd, 0xff, 0xff, 0xff, 0xff]), Buffer.alloc(size)]),
  (_seed, size) => Buffer.concat([Buffer.from([0xdd, 0x00, 0x0f, 0x00, 0x00]), Buffer.alloc(size, 0x80)]),
  // CBOR: arrays within arrays without an end, empty ones, tags of tags, maps of short keys.
  (_seed, size) => Buffer.alloc(size, 0x9f),
  (_seed, size) => Buffer.concat([Buffer.from([0x9f]), Buffer.alloc(size, 0x80)]),
  (_seed, size) => Buffer.alloc(size, 0xc6),
  (_seed, size) => Buffer.concat([Buffer.from([0xbf]), shortKeys(size, 0x63)]),
  // Maps of a short key each, in CBOR and MessagePack.
  (_seed, size) => Buffer.concat([Buffer.from([0x9f]), shortKeys(size, 0xa1, 0x63)]),
  (_seed, size) => Buffer.concat([Buffer.from([0xdd, 0, 2, 0, 0]), shortKeys(size, 0x81, 0xa3)]),
  // Protobuf: empty messages, packed numbers, groups within groups, one field without an end.
  (_seed, size) => Buffer.from('1a00'.repeat(size / 2), 'hex'),
  (_seed, size) => Buffer.concat([Buffer.from('2280804040', 'hex'), Buffer.alloc(size, 1)]),
  (_seed, size) => Buffer.alloc(size, 0x0b),
  (_seed, size) => Buffer.alloc(size, 0x80),
  (_seed, size) =>
    Buffer.from(encode(Array.from({ length: size / 40 }, () => ({ v: '00ff', at: 1, list: [] })))),
  repeated,
  repeated,
  repeated,
];

/** The first item of the seed, as often as it fits: what a reader sends after an outage. */
function repeated(seed: Buffer, size: number): Buffer {
  const text = seed.toString();
  const many = Math.max(1, Math.floor(size / Math.max(text.length, 1)));
  const list = /\[(\{.*\})\]/s.exec(text);
  return Buffer.from(
    list === null
      ? `${text}\n`.repeat(many)
      : text.replace(list[0], () => `[${Array.from({ length: many }, () => list[1]).join()}]`),
  );
}

/** Keys of three characters, each behind `heads`, with 0 as their value. */
function shortKeys(size: number, ...heads: readonly number[]): Buffer {
  return Buffer.concat(
    Array.from({ length: size / (heads.length + 4) }, (_, at) =>
      Buffer.from([...heads, at & 0x7f, (at >> 7) & 0x7f, at >> 14, 0]),
    ),
  );
}

/** An object of thirty members, in an order of its own. */
function inOrder(number: number): string {
  const random = new Random(number, 0);
  const keys = [...'abcdefghijklmnopqrstuvwxyz0123'];
  const members = keys.map(() => `"${keys.splice(random.below(keys.length), 1)[0]}":0`);
  return `{${members.join()}}`;
}

export function largePayloads(seed: Buffer, size: number): Buffer[] {
  return [...new Set(KINDS)].map((make) => make(seed, size));
}

export function largePayload(seed: Buffer, random: Random): Buffer {
  const size = random.pick([20_000, 200_000, MAX_PAYLOAD_BYTES - 64, MAX_PAYLOAD_BYTES + 64]);
  return random.pick(KINDS)(seed, size);
}
