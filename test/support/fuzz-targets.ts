import { loadBuiltinFormats } from '../../domain/formats/mapping/builtin.ts';
import { compileFormat, type Format } from '../../domain/formats/mapping/format.ts';
import {
  DECODINGS,
  type DecodingDefinition,
  type ProtobufFieldDefinition,
} from '../../domain/formats/mapping/language/definition.ts';
import { loadFixtures } from './format-fixtures.ts';
import { encodeProtobuf } from './protobuf.ts';

/** A format, and messages it was made for. */
export interface Target {
  format: Format;
  seeds: readonly { topic: string; payload: Buffer }[];
}

/** Every built-in format with its fixtures, and for every decoding a format that uses the whole language. */
export function loadTargets(): Target[] {
  const fixtures = loadFixtures();
  const builtin = [...loadBuiltinFormats().values()].map((format) => ({
    format,
    seeds: fixtures.get(format.name) ?? [],
  }));
  return [
    ...builtin,
    ...DECODINGS.map((decoding) => ({ format: wholeLanguage(decoding), seeds: OWN_SEEDS })),
    { format: wholeLanguage({ protobuf: PROTOBUF }, 'protobuf'), seeds: PROTOBUF_SEEDS },
  ];
}

const OWN_SEEDS = [
  [{ v: '00ff', at: '2026-6-8&21:43:48+00', list: [{ k: 1, v: 'x' }] }],
  [
    {
      v: 'c3:00:00:25:00:01',
      at: 1_780_591_822,
      list: [
        { k: null, v: 'x' },
        { k: 2, v: '4oARYGAAAgpmgfI-' },
      ],
    },
  ],
  { v: '17805918222810019991', at: '2026-02-24T10:14:42.851', rssi: '-7435' },
  '$GPRP,00ff,"a,b"\n1,2,3\n"""',
  '00ff',
  'connected',
].map((content) => ({
  topic: 'site/gw/c3:00:00:25:00:01',
  payload: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)),
}));

const PROTOBUF: readonly ProtobufFieldDefinition[] = [
  { field: 1, name: 'v', type: 'bytes' },
  { field: 2, name: 'at', type: 'uint64' },
  {
    field: 3,
    name: 'list',
    repeated: true,
    fields: [
      { field: 1, name: 'k', type: 'sint32' },
      { field: 2, name: 'v', type: 'string' },
      { field: 3, name: 'n', repeated: true, type: 'fixed32' },
      { field: 4, name: 'd', type: 'double' },
    ],
  },
  { field: 4, name: 'rssi', repeated: true, type: 'int32' },
];
const PROTOBUF_SEEDS = [
  { v: '00ff', at: 1_780_591_822, list: [{ k: -1, v: 'x', n: [1, 2] }, { d: 0.5 }], rssi: [-54, 3] },
  { v: 'c30000250001', at: 2 ** 53 },
].map((value) => ({ topic: 'site/gw/c3:00:00:25:00:01', payload: encodeProtobuf(PROTOBUF, value) }));

/** Every kind of candidate, condition and transform, over one decoding. */
function wholeLanguage(decode: DecodingDefinition, name = String(decode)): Format {
  const plain = ['number', 'hex', 'base64-to-hex', 'mac', 'upper', 'decimal-to-hex', 'ibeacon', 'eddystone'];
  return compileFormat({
    name: `whole-language-${name}`,
    decode,
    ignore: { topics: ['#/LWT', 'a/+/#'], texts: ['connected'] },
    only: [
      {
        any: [
          { item: '/k', not: ['x'] },
          { key: 0, exists: true },
        ],
      },
    ],
    rules: [
      {
        each: ['/*/list/*', '/*/*/*', '/*', '/{}/{}', '/{}', ''],
        split: ',',
        only: [
          { item: '/never', not: ['x', 1, true] },
          { topic: 0, not: ['a'] },
        ],
        warn: [{ parent: '/v', exists: true }],
        fields: {
          tag_type: [{ item: '/v' }, { const: 'ble' }],
          value: [
            ...plain.map((transform) => ({ item: '/v', transform: [transform] })),
            { item: '/v', transform: ['hex', 'hex-to-decimal'] },
            { item: '/v', transform: [{ 'decimal-to-hex': 24 }, { 'hex-to-decimal': 20 }] },
            { item: '/1', transform: [{ substring: [1, 2] }] },
            { item: '/list', where: [{ element: '/k', exists: true }], take: '/v' },
            { root: '', where: [{ element: '/k', in: [1, 'x'] }], take: '' },
            { join: [{ item: '/v' }, { topic: -1 }], with: ':', if: [{ item: '/at', exists: true }] },
            { key: 0, transform: ['mac'] },
            { root: '/list/$/v', transform: ['reverse-bytes'] },
            { grandparent: '/v' },
            { item: '' },
          ],
          antenna: [{ item: '/v' }],
          rssi: [
            { item: '/rssi', transform: [{ scale: 0.01 }] },
            { item: '/v', transform: [{ scale: 1e300 }] },
            { item: '/v', transform: ['int16', { offset: -1e308 }] },
            { parent: '/rssi/$', transform: ['int8'] },
          ],
          observed_at: [
            { item: '/at', transform: ['rfc3339'] },
            { item: '/at', transform: [{ rfc3339: { zone: 'Europe/Berlin' } }] },
            { item: '/at', transform: [{ date: { pattern: 'yyyy-M-d&H:m:sX' } }] },
            {
              item: '/at',
              transform: [{ date: { pattern: "yyyyMMdd'T'HHmmss.S", zone: 'America/New_York' } }],
            },
            ...(['s', 'ms', 'us', 'ns', 'auto'] as const).map((epoch) => ({
              item: '/at',
              transform: [{ epoch }],
            })),
          ],
          reader: [{ parent: '/v' }, { root: '/v' }, { topic: 1 }],
        },
      },
      {
        each: ['/v', ''],
        groups: { bytes: 2, from: 1 },
        fields: { tag_type: [{ const: 'rfid' }], value: [{ item: '' }, { key: -1 }] },
      },
      {
        each: { all: ['/list/*', '/*/v', '/{}/k'] },
        fields: { tag_type: [{ const: 'rfid' }], value: [{ item: '/v' }] },
      },
    ],
  });
}
