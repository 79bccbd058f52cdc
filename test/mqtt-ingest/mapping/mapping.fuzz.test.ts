import { encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Format } from '../../../services/mqtt-ingest/mapping/format.ts';
import { mapMessage } from '../../../services/mqtt-ingest/mapping/run.ts';
import { FORBIDDEN_IN_TAG_VALUE } from '../../../services/shared/tracking/tag-type.ts';
import { builtin, bytes, formatOf } from './mapping.ts';

const SEEDS: [Format, unknown][] = [
  [
    builtin('tagtrail'),
    [
      { tag_type: 'rfid', value: 'E280', antenna: 1, rssi: -54.5, observed_at: '2026-05-01T10:00:00.123Z' },
      { value: 'x' },
    ],
  ],
  [
    builtin('zebra-iotc'),
    {
      data: {
        eventNum: 194,
        format: 'fastID',
        idHex: 'ad99160040aac99525000099e280',
        antenna: 1,
        peakRssi: -54,
      },
      timestamp: '2026-02-24T10:14:42.851+0000',
      type: 'INVENTORY',
    },
  ],
  [
    builtin('csl-cs463'),
    {
      rfidReaderName: 'dock-2',
      tags: [
        {
          epc: '712AC12F1007000000330011',
          timeStampOfRead: 1_780_591_822_281_000,
          antennaPort: 1,
          rssi: '-70',
        },
      ],
    },
  ],
  [everything('json'), [{ v: '00ff', at: '2026-6-8&21:43:48+00', list: [{ k: 1, v: 'x' }] }]],
  [everything('json-stream'), [{ v: '00ff', at: 1_780_591_822, list: [{ k: 1, v: 'x' }] }]],
  [everything('msgpack'), [{ v: '00ff' }]],
  [everything('lines'), '$GPRP,00ff,"a,b"\n1,2,3'],
  [everything('text'), '00ff'],
];

/** A format in which every kind of candidate and transform is tried. */
function everything(decode: string): Format {
  const transforms = [
    'number',
    'hex',
    'base64-to-hex',
    'mac',
    'upper',
    'decimal-to-hex',
    'ibeacon',
    'eddystone',
  ] as const;
  return formatOf(
    {
      each: ['/*/list/*', '/*', ''],
      split: ',',
      only: [{ item: '/never', not: ['x'] }],
      fields: {
        tag_type: [{ item: '/v' }, { const: 'ble' }],
        value: [
          ...transforms.map((transform) => ({ item: '/v', transform: [transform] })),
          { item: '/v', transform: ['hex', 'hex-to-decimal'] },
          { item: '/1', transform: [{ substring: [1, 2] }] },
          { item: '/list', where: [{ element: '/k', exists: true }], take: '/v' },
          { join: [{ item: '/v' }, { topic: -1 }], with: ':' },
          { item: '' },
        ],
        rssi: [{ item: '/v', transform: [{ scale: 0.01 }] }],
        observed_at: [
          { item: '/at', transform: ['rfc3339'] },
          { item: '/at', transform: [{ rfc3339: { zone: 'Europe/Berlin' } }] },
          { item: '/at', transform: [{ date: { pattern: 'yyyy-M-d&H:m:sX' } }] },
          { item: '/at', transform: [{ epoch: 'auto' }] },
        ],
        reader: [{ parent: '/v' }, { root: '/v' }],
      },
    },
    { decode: [decode], ignore: { topics: ['#/LWT'], texts: ['connected'] } },
  );
}

/** Whether an outcome is one that may reach the database. */
function expectSound(format: Format, topic: string, payload: Buffer): void {
  const mapped = mapMessage(format, { topic, payload });
  if (mapped.outcome !== 'items') {
    expect(mapped.reason).to.be.a('string').and.not.equal('');
    return;
  }
  for (const item of mapped.items) {
    if (item.outcome !== 'read') {
      expect(FORBIDDEN_IN_TAG_VALUE.test(item.reason)).to.equal(false);
      continue;
    }
    const { value, antenna, rssi, deviceTime, reader } = item.read;
    expect(value !== '' && Array.from(value).length <= 255 && value.isWellFormed()).to.equal(true);
    expect(FORBIDDEN_IN_TAG_VALUE.test(value) || FORBIDDEN_IN_TAG_VALUE.test(reader ?? '')).to.equal(false);
    expect(Number.isInteger(antenna) && antenna >= 1 && antenna <= 32_767).to.equal(true);
    expect(rssi === null || Math.abs(rssi) <= 1_000).to.equal(true);
    expect(deviceTime === null || Number.isSafeInteger(deviceTime)).to.equal(true);
  }
}

/** Text that looks like JSON, and values that look like what readers send. */
const scraps = fc.constantFrom(
  '[',
  ']',
  '{',
  '}',
  '"',
  ',',
  ':',
  '\\',
  'null',
  '1e999',
  '-',
  '17805918222810019991',
  '\n',
);
const values = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(
    'E280',
    '',
    '\ud800',
    '\u0000',
    'c3:00:00:25:00:01',
    '2026-02-30T00:00:00Z',
    -0,
    1e300,
    2 ** 60,
  ),
  fc.string({ unit: 'binary', maxLength: 300 }),
);

/** The seed with one of its members, at any depth, put differently or left out. */
function changed(seed: unknown, path: readonly number[], value: unknown): unknown {
  if (typeof seed !== 'object' || seed === null || path.length === 0) {
    return value;
  }
  const members = Object.entries(seed);
  const at = (path[0] ?? 0) % Math.max(members.length, 1);
  const next = members.map(([key, member], index) => [
    key,
    index === at ? changed(member, path.slice(1), value) : member,
  ]);
  return Array.isArray(seed) ? next.map(([, member]) => member) : Object.fromEntries(next);
}

/** The bytes with a piece cut out and another put in its place. */
function spliced(payload: Buffer, at: number, length: number, piece: Buffer): Buffer {
  const from = at % (payload.length + 1);
  return Buffer.concat([payload.subarray(0, from), piece, payload.subarray(from + length)]);
}

describe('mapping any message at all', () => {
  for (const [format, seed] of SEEDS) {
    const topics = fc.constantFrom('a/b', '', '/', 'a/LWT', 'a/c3:00:00:25:00:01');
    it(`ends in an outcome, never in an exception (${format.name}, ${format.decodings})`, () => {
      const write = (value: unknown) =>
        format.decodings.includes('msgpack') ? Buffer.from(encode(value)) : bytes(value ?? 'null');
      const random = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
      const soup = fc.array(fc.oneof(scraps, fc.string({ maxLength: 5 })), { maxLength: 40 });
      const other = fc.tuple(fc.array(fc.nat(20), { maxLength: 4 }), values);
      const piece = fc.oneof(
        random,
        scraps.map((scrap) => Buffer.from(scrap)),
      );
      const splice = fc.tuple(fc.nat(), fc.nat(8), piece);
      const payloads = fc.oneof(
        random,
        soup.map((parts) => bytes(parts.join(''))),
        other.map(([path, value]) => write(changed(seed, path, value))),
        fc
          .array(splice, { minLength: 1, maxLength: 3 })
          .map((splices) => splices.reduce((payload, args) => spliced(payload, ...args), write(seed))),
      );
      fc.assert(
        fc.property(topics, payloads, (topic, payload) => expectSound(format, topic, payload)),
        { numRuns: 3_000 },
      );
    });
  }
});
