import { expect } from 'chai';
import type { TransformDefinition } from '../../../../domain/formats/mapping/language/definition.ts';
import { formatOf, map, micros } from '../../../support/mapping.ts';

/** What is in the payload, as JSON text so that long numbers keep their digits, and the time it is. */
type Table = [json: string, instant: string | null][];

const TABLES: [TransformDefinition, string, Table][] = [
  [
    'rfc3339',
    'reads offsets and fractions of any kind, cutting off what is finer than a microsecond',
    [
      ['"2026-05-01T10:00:00Z"', '2026-05-01T10:00:00Z'],
      ['"2026-05-01T10:00:00.123Z"', '2026-05-01T10:00:00.123Z'],
      ['"2026-02-26T17:13:37.432087999Z"', '2026-02-26T17:13:37.432087Z'],
      ['"2026-02-24T10:14:42.851+0000"', '2026-02-24T10:14:42.851Z'],
      ['"2026-02-24T10:14:42.851-0600"', '2026-02-24T16:14:42.851Z'],
      ['"2026-02-24T10:14:42+05:30"', '2026-02-24T04:44:42Z'],
      ['"2026-02-24T10:14:42+01"', '2026-02-24T09:14:42Z'],
      ['"2026-02-24t10:14:42z"', '2026-02-24T10:14:42Z'],
      ['"2026-02-24 10:14:42Z"', '2026-02-24T10:14:42Z'],
      ['"2016-12-31T23:59:60Z"', '2017-01-01T00:00:00Z'],
      ['"2024-02-29T00:00:00Z"', '2024-02-29T00:00:00Z'],
      ['"2026-02-29T00:00:00Z"', null],
      ['"2026-13-01T00:00:00Z"', null],
      ['"2026-01-01T24:00:00Z"', null],
      ['"2026-01-01T00:60:00Z"', null],
      ['"2026-01-01T00:00:00+24:00"', null],
      ['"2026-02-24T10:14:42.851"', null],
      ['"2026-02-24T10:14:42,851Z"', '2026-02-24T10:14:42.851Z'],
      ['"2026-02-24T10:14:42.Z"', null],
      ['"2026-02-24T10:14:42."', null],
      ['"2026-02-24T10:14:42.8x1Z"', null],
      ['"2026-02-24T10:14:42ZZ"', null],
      ['"2026-02-24T10:14:42 Z"', null],
      ['"2026-02-24T10:14:4"', null],
      ['"2026-02-24T10:14:4xZ"', null],
      ['"2026-02-24T-1:14:42Z"', null],
      ['"2026-02-24T 1:14:42Z"', null],
      ['"+026-02-24T10:14:42Z"', null],
      ['"2026/02/24T10:14:42Z"', null],
      ['"2026-02-24_10:14:42Z"', null],
      ['"2026-02-24T10.14.42Z"', null],
      ['"2026-02-24T10:14:42+1:00"', '2026-02-24T09:14:42.000000Z'],
      ['"2026-02-24T10:14:42+100:00"', null],
      ['"2026-02-24"', null],
      ['"today"', null],
      ['1780591822', null],
      ['"1970-01-01T00:00:12Z"', null],
      ['"0026-01-01T00:00:00Z"', null],
    ],
  ],
  [
    'time',
    'reads every notation that leaves no doubt',
    [
      ['"2026-06-04T16:50:22.281Z"', '2026-06-04T16:50:22.281Z'],
      ['"2026-06-04T10:50:22-0600"', '2026-06-04T16:50:22Z'],
      ['1780591822', '2026-06-04T16:50:22Z'],
      ['"1780591822.281"', '2026-06-04T16:50:22.281Z'],
      ['1780591822281', '2026-06-04T16:50:22.281Z'],
      ['"1780591822281000"', '2026-06-04T16:50:22.281Z'],
      ['1780591822281000999', '2026-06-04T16:50:22.281Z'],
      ['"2026-06-04T16:50:22"', null],
      ['1017', null],
      ['1500000000', null],
      ['1500000000000', null],
      ['"soon"', null],
    ],
  ],
  [
    { rfc3339: { zone: 'Europe/Berlin' } },
    'takes a time without an offset as local, and one with an offset as it is',
    [
      ['"2026-02-24T10:14:42.5"', '2026-02-24T09:14:42.5Z'],
      ['"2026-07-24T10:14:42"', '2026-07-24T08:14:42Z'],
      ['"2026-07-24T10:14:42Z"', '2026-07-24T10:14:42Z'],
      // The night in which an hour is missing, and the one in which it is there twice.
      ['"2026-03-29T01:59:59"', '2026-03-29T00:59:59Z'],
      ['"2026-03-29T02:30:00"', '2026-03-29T01:30:00Z'],
      ['"2026-03-29T03:00:00"', '2026-03-29T01:00:00Z'],
      ['"2026-10-25T02:30:00"', '2026-10-25T00:30:00Z'],
      ['"2026-10-25T03:00:00"', '2026-10-25T02:00:00Z'],
    ],
  ],
  [
    { epoch: 's' },
    'reads seconds, quoted and with a fraction, without losing a microsecond',
    [
      ['1659365222', '2022-08-01T14:47:02Z'],
      ['"1659365222"', '2022-08-01T14:47:02Z'],
      ['1659365222.123457', '2022-08-01T14:47:02.123457Z'],
      ['"1659365222.1234579"', '2022-08-01T14:47:02.123457Z'],
      ['1659365222.999999999999', '2022-08-01T14:47:02.999999Z'],
      ['1.659365222e9', '2022-08-01T14:47:02Z'],
      ['1017', null],
      ['-5', null],
      ['"x"', null],
      ['"1e9"', null],
      ['1e300', null],
      ['true', null],
      ['9999999999999999999999999999999999999999999999', null],
    ],
  ],
  [
    { epoch: 'ms' },
    'reads milliseconds',
    [
      ['1780625164256', '2026-06-05T02:06:04.256Z'],
      ['"1780625164256"', '2026-06-05T02:06:04.256Z'],
      ['1780625164256.789', '2026-06-05T02:06:04.256789Z'],
      ['1017', null],
    ],
  ],
  [
    { epoch: 'us' },
    'reads microseconds',
    [
      ['1780591822281001', '2026-06-04T16:50:22.281001Z'],
      ['"1780591822281001"', '2026-06-04T16:50:22.281001Z'],
      ['81002345', null],
    ],
  ],
  [
    { epoch: 'ns' },
    'reads nanoseconds beyond what a double holds',
    [
      ['1780591822281001999', '2026-06-04T16:50:22.281001Z'],
      ['1780591822281002000', '2026-06-04T16:50:22.281002Z'],
      ['"1780591822281001999"', '2026-06-04T16:50:22.281001Z'],
    ],
  ],
  [
    { epoch: 'auto' },
    'tells the unit by the size',
    [
      ['1780591822', '2026-06-04T16:50:22Z'],
      ['"1780591822.5"', '2026-06-04T16:50:22.5Z'],
      ['1780591822281', '2026-06-04T16:50:22.281Z'],
      ['1780591822281001', '2026-06-04T16:50:22.281001Z'],
      ['1780591822281001999', '2026-06-04T16:50:22.281001Z'],
      ['1017', null],
      ['0', null],
      ['1420070399', null],
      ['1420070400', '2015-01-01T00:00:00Z'],
      ['4133980799', '2100-12-31T23:59:59Z'],
      ['4133980800', null],
    ],
  ],
  [
    { date: { pattern: 'yyyy-M-d&H:m:sX' } },
    'reads a notation of its own with an offset',
    [
      ['"2026-6-8&21:43:48+00"', '2026-06-08T21:43:48Z'],
      ['"2026-12-18&1:3:8-0330"', '2026-12-18T04:33:08Z'],
      ['"2026-6-8&21:43:48"', null],
      ['"2026-6-31&21:43:48+00"', null],
      ['" 2026-6-8&21:43:48+00"', null],
      ['20260608', null],
    ],
  ],
  [
    { date: { pattern: "dd.MM.yyyy' at 'HH.mm.ss,S", zone: '-06:00' } },
    'reads local time in a named zone',
    [
      ['"08.06.2026 at 21.43.48,5"', '2026-06-09T03:43:48.5Z'],
      ['"08.06.2026 at 21.43.48,123456789"', '2026-06-09T03:43:48.123456Z'],
      ['"8.6.2026 at 21.43.48,5"', null],
    ],
  ],
];

describe('the time transform', () => {
  for (const [transform, promise, table] of TABLES) {
    it(`${JSON.stringify(transform)} ${promise}`, () => {
      const format = formatOf({
        fields: {
          tag_type: [{ const: 'barcode' }],
          value: [{ const: 'v' }],
          observed_at: [{ item: '/at', transform: [transform] }],
        },
      });
      for (const [json, instant] of table) {
        const mapped = map(format, `{"at":${json}}`);
        const expected = instant === null ? null : micros(instant);
        expect(mapped, json).to.have.nested.property('items[0].read.deviceTime', expected);
      }
    });
  }

  it('of the first candidate that gives a plausible time is used', () => {
    const epoch: TransformDefinition = { epoch: 'auto' };
    const format = formatOf({
      fields: {
        tag_type: [{ const: 'barcode' }],
        value: [{ const: 'v' }],
        observed_at: [
          { item: '/a', transform: [epoch] },
          { item: '/b', transform: [epoch] },
        ],
      },
    });
    const mapped = map(format, { a: 1017, b: 1_780_591_822 });
    expect(mapped).to.have.nested.property('items[0].read.deviceTime', micros('2026-06-04T16:50:22Z'));
  });

  it('is not asked where the time of receipt is to be used', () => {
    const fields = {
      tag_type: [{ const: 'barcode' }],
      value: [{ const: 'v' }],
      observed_at: [{ item: '/at', transform: ['rfc3339' as const] }],
    };
    const payload = { at: '2026-05-01T10:00:00Z' };
    const ofFormat = map(formatOf({ fields }, { policies: { time: 'receive' } }), payload);
    const ofReader = map(formatOf({ fields }), payload, 't', { time: 'receive' });
    const back = map(formatOf({ fields }, { policies: { time: 'receive' } }), payload, 't', {
      time: 'device',
    });
    expect(ofFormat).to.have.nested.property('items[0].read.deviceTime', null);
    expect(ofReader).to.have.nested.property('items[0].read.deviceTime', null);
    expect(back).to.have.nested.property('items[0].read.deviceTime', micros('2026-05-01T10:00:00Z'));
  });
});
