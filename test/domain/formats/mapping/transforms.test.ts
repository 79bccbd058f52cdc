import { expect } from 'chai';
import type { TransformDefinition } from '../../../../domain/formats/mapping/language/definition.ts';
import { formatOf, map, outcomesOf } from '../../../support/mapping.ts';

const UUID = 'E2C56DB5DFFB48D2B060D0F5A71096E0';
const HYPHENATED = 'e2c56db5-dffb-48d2-b060-d0f5a71096e0';
const UID = '000102030405060708090A0B0C0D0E0F';

/** What goes in and the value that comes out; null: the transform fails. */
type Table = [input: unknown, output: string | null][];

const TABLES: [TransformDefinition, string, Table][] = [
  [
    'hex',
    'keeps hex digits only, in upper case, with their zeros',
    [
      ['00ab12', '00AB12'],
      ['E2-80:11 60.02', 'E280116002'],
      ['a', 'A'],
      ['', null],
      [':-', null],
      ['0x12', null],
      ['xyz', null],
      [12, null],
      [true, null],
      [{}, null],
      ['A'.repeat(5_000), null],
      [[0, 255, 18], '00FF12'],
      [[], null],
      [[256], null],
      [[-1], null],
      [['1'], null],
      [Array(5_000).fill(1), null],
    ],
  ],
  [
    'reverse-bytes',
    'turns the bytes of hex digits round',
    [
      ['010203', '030201'],
      ['c3:00:00:25:00:01', '0100250000C3'],
      ['123', null],
      ['', null],
      [12, null],
    ],
  ],
  [
    'mac',
    'gives twelve hex digits',
    [
      ['c3:00:00:25:00:01', 'C30000250001'],
      ['C3-00-00-25-00-01', 'C30000250001'],
      ['c300.0025.0001', 'C30000250001'],
      ['C30000250001', 'C30000250001'],
      ['C3000025000', null],
      ['C300002500012', null],
      ['G30000250001', null],
      [123_456_789_012, null],
    ],
  ],
  [
    'base64-to-hex',
    'reads either alphabet, padded or not, and nothing else',
    [
      ['4oARYGAAAgpmgfI-', 'E28011606000020A6681F23E'],
      ['4oARYGAAAgpmgfI+', 'E28011606000020A6681F23E'],
      ['__8=', 'FFFF'],
      ['//8', 'FFFF'],
      ['AA==', '00'],
      ['A', null],
      ['AAAAA', null],
      ['AA A', null],
      ['AA==AA', null],
      ['', null],
      [5, null],
    ],
  ],
  [
    'upper',
    'puts text in upper case',
    [
      ['ab1ß', 'AB1SS'],
      [1, null],
    ],
  ],
  [
    { substring: [2, 3] },
    'takes a part that is there in full',
    [
      ['abcde', 'cde'],
      ['abcdefg', 'cde'],
      ['abcd', null],
      [12_345, null],
    ],
  ],
  [
    'decimal-to-hex',
    'reads a whole number of any length',
    [
      ['255', 'FF'],
      [255, 'FF'],
      ['0', '0'],
      ['79228162514264337593543950335', 'F'.repeat(24)],
      ['1.5', null],
      ['-1', null],
      ['1e3', null],
      ['', null],
      ['9'.repeat(161), null],
    ],
  ],
  [
    { 'decimal-to-hex': 12 },
    'fills with zeros to the width, and fails beyond it',
    [
      ['255', '0000000000FF'],
      ['281474976710655', 'FFFFFFFFFFFF'],
      ['281474976710656', null],
    ],
  ],
  [
    'hex-to-decimal',
    'reads hex digits as a number',
    [
      ['ff', '255'],
      ['00FF', '255'],
      ['F'.repeat(24), '79228162514264337593543950335'],
      ['0x10', null],
      ['', null],
      [10, null],
    ],
  ],
  [
    { 'hex-to-decimal': 10 },
    'fills with zeros to the width, and fails beyond it',
    [
      ['ff', '0000000255'],
      ['FFFFFFFFFF', null],
    ],
  ],
  [
    'ibeacon',
    'finds uuid, major and minor in an advertisement or a triple',
    [
      [`0201061AFF4C000215${UUID}00010017C5`, `${UUID}:1:23`],
      [`0201061aff4c000215${UUID.toLowerCase()}ffffffffc5`, `${UUID}:65535:65535`],
      [`1AFF4C000215${UUID}00010017C5`, `${UUID}:1:23`],
      [`4C000215${UUID}00010017C5`, `${UUID}:1:23`],
      [`${HYPHENATED}:1:23`, `${UUID}:1:23`],
      [`${UUID}:0:007`, `${UUID}:0:7`],
      [`iBeacon:${HYPHENATED}-1-23`, `${UUID}:1:23`],
      [`iBeacon:${UUID.toLowerCase()}-1-23`, `${UUID}:1:23`],
      [`${UUID}:1-23`, null],
      [`${UUID}:65536:0`, null],
      [`${UUID}:1`, null],
      [`${UUID.slice(1)}-:1:1`, null],
      ['020106', null],
      [`0201061AFF4C000215${UUID}0001`, null],
      [`0201061AFF4D000215${UUID}00010017C5`, null],
      [`00${'1AFF4C000215'}${UUID}00010017C5`, null],
      ['0', null],
      ['zz', null],
      [7, null],
    ],
  ],
  [
    'eddystone',
    'finds a UID in an advertisement or alone',
    [
      [`0201060303AAFE1516AAFE00E7${UID}`, UID],
      [`0201060303AAFE1716AAFE00E7${UID}0000`, UID],
      [`AAFE00E7${UID}`, UID],
      ['00010203-0405-0607-0809-0a0b0c0d0e0f', UID],
      ['0201060303AAFE0716AAFE10E70061', null],
      ['020106', null],
      // Sixteen bytes that are flags and manufacturer data, not a UID.
      ['0201060CFF0D0083BC200120AAAAFFFF', null],
      ['0201060CFF0D0083BC200120AAAAFF', null],
      [7, null],
    ],
  ],
];

describe('the transform', () => {
  for (const [transform, promise, table] of TABLES) {
    it(`${JSON.stringify(transform)} ${promise}`, () => {
      for (const [input, output] of table) {
        const format = formatOf({
          fields: {
            tag_type: [{ const: 'barcode' }],
            value: [{ item: '/v', transform: [transform] }, { const: 'next candidate' }],
          },
        });
        const expected = `read barcode ${output ?? 'next candidate'}`;
        expect(outcomesOf(map(format, { v: input })), JSON.stringify(input)).to.deep.equal([expected]);
      }
    });
  }

  const numbers: [TransformDefinition, string, [unknown, number | null][]][] = [
    [
      'number',
      'reads decimal numbers, quoted or not',
      [
        [-54.5, -54.5],
        ['-54.5', -54.5],
        [' -7 ', -7],
        ['-.5', -0.5],
        ['-1e2', -100],
        ['0x10', null],
        ['', null],
        ['1,5', null],
        ['Infinity', null],
        [true, null],
        [[1], null],
        ['9'.repeat(5_000), null],
      ],
    ],
    [
      { scale: 0.01 },
      'keeps decimal fractions exact',
      [
        [-7435, -74.35],
        ['-7401', -74.01],
        [-29, -0.29],
        ['x', null],
      ],
    ],
    [
      { offset: -100 },
      'is added',
      [
        [35, -65],
        ['35.5', -64.5],
        ['x', null],
      ],
    ],
    [
      'int8',
      'reads two hex digits, or a number taken for unsigned, as signed',
      [
        ['AA', -86],
        ['c3', -61],
        [195, -61],
        [-61, -61],
        ['0AA', null],
        ['A', null],
        [256, null],
        [-129, null],
        [-1.5, null],
      ],
    ],
    [
      'int16',
      'reads four hex digits as signed',
      [
        ['FFC3', -61],
        [0xffc3, -61],
        ['C3', null],
        [65_536, null],
      ],
    ],
    [
      'int32',
      'reads eight hex digits as signed',
      [
        ['FFFFFFC3', -61],
        [0xffff_ffc3, -61],
        ['FFC3', null],
        [2 ** 32, null],
      ],
    ],
    [
      { scale: -0.5 },
      'multiplies',
      [
        [130, -65],
        ['1e999', null],
      ],
    ],
  ];
  for (const [transform, promise, table] of numbers) {
    it(`${JSON.stringify(transform)} ${promise}`, () => {
      for (const [input, output] of table) {
        const format = formatOf({
          fields: {
            tag_type: [{ const: 'barcode' }],
            value: [{ const: 'v' }],
            rssi: [{ item: '/v', transform: [transform] }],
          },
        });
        const mapped = map(format, { v: input });
        expect(mapped, JSON.stringify(input)).to.have.nested.property('items[0].read.rssi', output);
      }
    });
  }

  it('that fails in a chain moves on to the next candidate', () => {
    const format = formatOf({
      fields: {
        tag_type: [{ const: 'barcode' }],
        value: [{ item: '/a', transform: ['hex', { substring: [0, 4] }] }, { item: '/b' }],
      },
    });
    expect(
      outcomesOf(
        map(format, [
          { a: 'ab-cd', b: 'x' },
          { a: 'abc', b: 'x' },
          { a: 'zz', b: 'x' },
        ]),
      ),
    ).to.deep.equal(['read barcode ABCD', 'read barcode x', 'read barcode x']);
  });
});
