import { encode as encodeCbor } from 'cborg';
import { expect } from 'chai';
import fc from 'fast-check';
import { decodeCbor } from '../../../../domain/formats/mapping/decoding/cbor.ts';
import { compileFormat, FormatError } from '../../../../domain/formats/mapping/format.ts';
import type { ProtobufFieldDefinition } from '../../../../domain/formats/mapping/language/definition.ts';
import { MAX_PAYLOAD_BYTES } from '../../../../domain/formats/mapping/values/limits.ts';
import { formatOf, map, outcomesOf, readsOf } from '../../../support/mapping.ts';
import { encodeProtobuf } from '../../../support/protobuf.ts';

const rfid = { tag_type: [{ const: 'rfid' }] };
const hex = (digits: string) => Buffer.from(digits.replaceAll(' ', ''), 'hex');

describe('CBOR', () => {
  const format = formatOf({ fields: { ...rfid, value: [{ item: '/v' }] } }, { decode: 'cbor' });
  const decoded = (bytes: Buffer) => {
    const result = decodeCbor(bytes);
    return 'documents' in result ? result.documents[0] : result.fault;
  };

  it('is read as JSON would be', () => {
    const json = fc.jsonValue({ maxDepth: 6 }).filter((value) => typeof value === 'object' && value !== null);
    fc.assert(
      fc.property(json, (value) => {
        const plain = JSON.parse(JSON.stringify(value));
        expect(decoded(Buffer.from(encodeCbor(plain)))).to.deep.equal(plain);
      }),
    );
  });

  it('gives bytes as hex digits, numbers as keys their digits, and of a tag its content', () => {
    // {1: h'00FF', 2: 1(1780591822), -1: 1.5 (half), 3: undefined, 4: [_ 1, 2], 5: {_ "a": 1}}
    const bytes = hex('a6 01 4200ff 02 c11a6a21aece 20 f93e00 03 f7 04 9f0102ff 05 bf616101ff');
    expect(decoded(bytes)).to.deep.equal({
      ...{ 1: '00FF', 2: 1_780_592_334, '-1': 1.5, 3: null },
      ...{ 4: [1, 2], 5: { a: 1 } },
    });
  });

  it('is rejected with the reason if it is none', () => {
    for (const [bytes, reason] of [
      ['', 'it ends too early'],
      ['82 01', 'it ends too early'],
      ['9b ffffffffffffff00', '64-bit integer'],
      ['9a 0000ffff 01', 'it ends too early'],
      ['81 5f', 'indefinite length bytes/strings are not supported'],
      ['81 ff', 'a break stands where a value should'],
      ['a1 80 01', 'a key is neither text nor a number'],
      ['80 01', 'bytes are left over at the end'],
      ['01', 'neither a map nor an array'],
    ] as const) {
      expect(map(format, hex(bytes)), bytes)
        .to.have.property('reason')
        .that.includes('CBOR')
        .and.includes(reason);
    }
  });

  it('is rejected beyond 64 levels of arrays and tags, and beyond what four payloads hold', () => {
    for (const [bytes, reason] of [
      [Buffer.alloc(MAX_PAYLOAD_BYTES, 0x81), 'nested deeper than 64 levels'],
      [Buffer.alloc(MAX_PAYLOAD_BYTES, 0x9f), 'nested deeper than 64 levels'],
      [Buffer.alloc(MAX_PAYLOAD_BYTES, 0xc6), 'nested deeper than 64 levels'],
      [Buffer.concat([hex('9f'), Buffer.alloc(MAX_PAYLOAD_BYTES - 1, 0x80)]), 'it holds too many values'],
    ] as const) {
      expect(map(format, bytes)).to.have.property('reason').that.includes(reason);
    }
  });
});

describe('protobuf', () => {
  const fields: readonly ProtobufFieldDefinition[] = [
    { field: 1, name: 'gateway', type: 'string' },
    {
      field: 3,
      name: 'tags',
      repeated: true,
      fields: [
        { field: 1, name: 'mac', type: 'bytes' },
        { field: 2, name: 'rssi', type: 'sint32' },
        { field: 3, name: 'seen', type: 'uint64' },
      ],
    },
    { field: 4, name: 'ports', repeated: true, type: 'uint32' },
  ];
  const format = formatOf(
    {
      each: '/tags/*',
      fields: {
        ...rfid,
        value: [{ item: '/mac' }],
        antenna: [{ root: '/ports/$' }],
        rssi: [{ item: '/rssi' }],
        observed_at: [{ item: '/seen', transform: ['time'] }],
        reader: [{ root: '/gateway' }],
      },
    },
    { decode: { protobuf: fields } },
  );
  const message = {
    gateway: 'hall',
    tags: [
      { mac: 'C30000250001', rssi: -61, seen: 1_780_591_822_281 },
      { mac: 'C30000250002', rssi: -70 },
    ],
    ports: [3, 4],
  };

  it('is read by the numbers of fields, passing over those that have no name', () => {
    const unknown = hex('7a03616263 8001ff01 8d0100000000 910100000000 00000000');
    const bytes = Buffer.concat([unknown, encodeProtobuf(fields, message), unknown]);
    expect(readsOf(map(format, bytes))).to.have.length(2);
    expect(readsOf(map(format, bytes))[0]).to.include({
      ...{ value: 'C30000250001', antenna: 3, rssi: -61, reader: 'hall' },
      deviceTime: 1_780_591_822_281_000,
    });
  });

  it('takes repeated numbers packed, too', () => {
    const tags = encodeProtobuf(fields, { tags: message.tags });
    const reads = readsOf(map(format, Buffer.concat([tags, hex('22 03 07 ac02')])));
    expect(reads.map(({ antenna }) => antenna)).to.deep.equal([7, 300]);
  });

  it('is rejected with the reason if it is none', () => {
    for (const [bytes, reason] of [
      ['0b', 'gateway has the wire type 3'],
      ['7b', 'field 15 has the wire type 3'],
      ['08 01', 'gateway has the wire type 0'],
      ['0a 05 61', 'premature EOF'],
      ['1a 02 0a05 6162636465', 'a field reaches beyond its message'],
      ['1a 02 0a00 ff', 'premature EOF'],
      ['', 'payload is empty'],
    ] as const) {
      expect(map(format, hex(bytes)), bytes).to.include({ outcome: 'rejected' });
      expect(map(format, hex(bytes)), bytes)
        .to.have.property('reason')
        .that.includes(reason);
    }
    expect(map(format, '[{"mac":"C30000250001"}]')).to.include({ outcome: 'rejected' });
    expect(map(format, hex('1a00'.repeat(MAX_PAYLOAD_BYTES / 4))))
      .to.have.property('reason')
      .that.includes('it holds too many values');
  });

  const faulty: [string, unknown, string][] = [
    [
      'a number twice',
      [fields[0], { ...fields[0], name: 'b' }],
      '/decode/protobuf/1 must have a number and a name',
    ],
    [
      'a name twice',
      [fields[0], { ...fields[0], field: 2 }],
      '/decode/protobuf/1 must have a number and a name',
    ],
    [
      'neither type nor fields',
      [{ field: 1, name: 'a' }],
      '/decode/protobuf/0 must have either type or fields',
    ],
    [
      'an unknown type',
      [{ field: 1, name: 'a', type: 'int' }],
      '/decode/protobuf/0/type must be one of int32',
    ],
    ['a field 0', [{ field: 0, name: 'a', type: 'int32' }], '/decode/protobuf/0/field must be >= 1'],
    ['messages without an end', nested(17), 'is nested deeper than 16 messages'],
  ];
  for (const [what, protobuf, fault] of faulty) {
    it(`is refused with ${what}`, () => {
      const define = () =>
        compileFormat({
          ...{ name: 'n', decode: { protobuf } },
          rules: [{ each: '', fields: { ...rfid, value: [{ item: '' }] } }],
        });
      expect(define).to.throw(FormatError, fault);
    });
  }

  function nested(depth: number): unknown {
    const field = { field: 1, name: 'a' };
    return depth === 0 ? [{ ...field, type: 'bool' }] : [{ ...field, fields: nested(depth - 1) }];
  }
});

describe('groups of bytes', () => {
  // Two bytes of a header, then an address and a strength, twice; one byte is left over.
  const payload = hex('0102 c30000250001 c3 c30000250002 b2 ff');
  const fields = {
    ...rfid,
    value: [{ item: '', transform: [{ substring: [0, 12] as const }, 'mac' as const] }],
    antenna: [{ key: -1, transform: [{ offset: 1 }] }],
    rssi: [{ item: '', transform: [{ substring: [12, 2] as const }, 'int8' as const] }],
  };

  it('are items, and what is left over is rejected', () => {
    const format = formatOf({ each: '', groups: { bytes: 7, from: 2 }, fields }, { decode: 'bytes' });
    expect(outcomesOf(map(format, payload))).to.deep.equal([
      'read rfid C30000250001',
      'read rfid C30000250002',
      'rejected: value "FF" (item) is not of the kind that the format expects',
    ]);
    const whole = readsOf(map(format, payload.subarray(0, -1)));
    expect(whole.map(({ rssi, antenna }) => [rssi, antenna])).to.deep.equal([
      [-61, 1],
      [-78, 2],
    ]);
  });

  it('are cut out of each of several texts', () => {
    const format = formatOf({ each: '/*/data', groups: { bytes: 7 }, fields });
    const texts = [
      { data: 'c30000250001c3' },
      { data: '' },
      { data: 'c30000250002b2c30000250003b2' },
      { data: 7 },
    ];
    expect(outcomesOf(map(format, texts)).map((outcome) => outcome.slice(0, 22))).to.deep.equal([
      ...['read rfid C30000250001', 'read rfid C30000250002', 'read rfid C30000250003'],
      'rejected: value 7 (ite',
    ]);
  });

  it('are 10,000 at most', () => {
    const format = formatOf({ each: '', groups: { bytes: 1 }, fields }, { decode: 'bytes' });
    expect(map(format, Buffer.alloc(10_001))).to.include({ reason: 'payload has more than 10000 items' });
    expect(map(format, Buffer.alloc(MAX_PAYLOAD_BYTES))).to.include({ outcome: 'rejected' });
  });
});
