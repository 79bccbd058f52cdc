import { encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import fc from 'fast-check';
import { decodeJsonStream } from '../../../../domain/formats/mapping/decoding/json.ts';
import { splitFields } from '../../../../domain/formats/mapping/decoding/lines.ts';
import { decodeMsgpack } from '../../../../domain/formats/mapping/decoding/msgpack.ts';
import type { Format } from '../../../../domain/formats/mapping/format.ts';
import { mapBriefly, mapMessage } from '../../../../domain/formats/mapping/run.ts';
import { LongNumber } from '../../../../domain/formats/mapping/values/long-number.ts';
import { COSTLY_FORMATS, often } from '../../../support/costly-formats.ts';
import { loadFixtures } from '../../../support/format-fixtures.ts';
import { loadTargets } from '../../../support/fuzz-targets.ts';
import { builtin, formatOf, itemsOf, map, micros, outcomesOf, readsOf } from '../../../support/mapping.ts';

describe('decoding', () => {
  const MIB = 1_048_576;

  describe('keeps to its limits:', () => {
    const tagtrail = builtin('tagtrail');
    const zebra = builtin('zebra-iotc');

    it('a payload of 1 MiB is read, one byte more is rejected unread', () => {
      const padded = (size: number) => '{"value":"a"}'.padEnd(size, ' ');
      expect(outcomesOf(map(tagtrail, padded(MIB)))).to.deep.equal(['read rfid a']);
      expect(map(tagtrail, padded(MIB + 1))).to.deep.equal({
        outcome: 'rejected',
        reason: 'payload of 1048577 bytes is over the limit of 1048576',
      });
    });

    it('64 levels are read, 65 are rejected, also far beyond', () => {
      const nested = (levels: number) =>
        `{"value":"a","x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
      const reason = 'payload is nested deeper than 64 levels';
      for (const format of [tagtrail, zebra]) {
        expect(map(format, nested(64))).to.include({ outcome: 'items' });
        expect(map(format, nested(65))).to.deep.equal({ outcome: 'rejected', reason });
        expect(map(format, '['.repeat(MIB))).to.deep.equal({ outcome: 'rejected', reason });
        expect(map(format, '{"a":'.repeat(200_000))).to.deep.equal({ outcome: 'rejected', reason });
      }
    });

    it('blanks in front of JSON hide none of its levels, values or digits', () => {
      const fields = {
        tag_type: [{ const: 'rfid' as const }],
        value: [{ item: '/epc', transform: ['decimal-to-hex' as const] }],
      };
      const format = formatOf({ each: '', fields }, { decode: 'json' });
      const payloads = [
        ['['.repeat(65), 'payload is nested deeper than 64 levels'],
        [
          `[${'{},'.repeat(80_000)}{}]`,
          'payload is JSON, but it holds too many values; send fewer in a message',
        ],
      ];
      for (const blanks of ['', ' ', '\r\n\t', '\ufeff ']) {
        for (const [payload, reason] of payloads) {
          expect(map(format, `${blanks}${payload}`)).to.deep.equal({ outcome: 'rejected', reason });
        }
        expect(outcomesOf(map(format, `${blanks}{"epc":79228162514264337593543950335}`))).to.deep.equal([
          'read rfid FFFFFFFFFFFFFFFFFFFFFFFF',
        ]);
      }
    });

    it('brackets within text are no levels', () => {
      const value = `${'['.repeat(100)}\\"{{`;
      expect(map(tagtrail, `{"value":"${value}"}`)).to.have.nested.property('items[0].read.value');
    });

    const many = (count: number) => Array.from({ length: count }, () => ({ value: 'a' }));

    it('10,000 items are read, one more is rejected, counted over all rules and documents', () => {
      expect(itemsOf(map(tagtrail, many(10_000)))).to.have.length(10_000);
      const reason = 'payload has more than 10000 items';
      expect(map(tagtrail, many(10_001))).to.deep.equal({ outcome: 'rejected', reason });
      expect(map(zebra, JSON.stringify(many(5_001)).repeat(2))).to.deep.equal({
        outcome: 'rejected',
        reason,
      });
      expect(map(zebra, '{}'.repeat(10_001))).to.include({ outcome: 'rejected' });
      expect(map(formatOf({}, { decode: 'lines' }), 'x\n'.repeat(10_001))).to.include({
        outcome: 'rejected',
      });
    });

    it('JSON that would take 4 MiB of memory is rejected, though it has less than 1 MiB', () => {
      const reason = 'payload is JSON, but it holds too many values; send fewer in a message';
      for (const format of [tagtrail, zebra]) {
        for (const each of ['{}', '[]', '0', '{"999":1}', '17805918222810019991', '{"k#":0}']) {
          const count = Math.floor(MIB / (each.length + 7));
          const values = Array.from({ length: each === '0' ? MIB / 2 - 50 : count }, (_, at) =>
            each.replace('#', String(at)),
          );
          const payload = `{"value":"a","x":[${values.join()}]}`;
          expect(map(format, payload), each).to.deep.equal({ outcome: 'rejected', reason });
        }
      }
    });

    it('as much of what devices send as nine tenths of that hold is read', () => {
      for (const [name, fixtures] of loadFixtures()) {
        const texts = fixtures.flatMap(({ payload, expected }) => {
          const text = payload.toString();
          return expected.scans.length > 0 && /^[[{]/.test(text) ? [text] : [];
        });
        const longest = texts.reduce((one, other) => (one.length < other.length ? other : one), '[]');
        const times = Math.min((0.9 * MIB) / (longest.length + 1), 10_000);
        expect(decodeJsonStream(Buffer.from(`${longest}\n`.repeat(times))), name).to.have.property(
          'documents',
        );
      }
    });

    it('a format that makes very much work of a small payload is given up, however it is written', () => {
      const upper = Array.from({ length: 10 }, () => 'upper' as const);
      const text = { root: '/text', transform: upper };
      const candidate = { join: [...Array.from({ length: 9 }, () => text), { root: '/nothing' }] };
      const looked = Array.from({ length: 10 }, () => ({ root: '/text', exists: true }));
      const formats = [
        Array.from({ length: 8 }, () => candidate),
        Array.from({ length: 20 }, () => ({ root: '/nothing', if: looked })),
      ].map((value) => formatOf({ each: '/items/*', fields: { tag_type: [{ const: 'rfid' }], value } }));
      const mapped = (format: Format, items: number) =>
        map(format, JSON.stringify({ text: 'n'.repeat(4_096), items: Array(items).fill([]) }));
      for (const [index, format] of formats.entries()) {
        // Of all of them it would take minutes.
        for (const items of [10_000, [1, 500][index] ?? 0]) {
          expect(mapped(format, items))
            .to.deep.include({ outcome: 'rejected' })
            .and.have.property('reason')
            .that.includes('too much work');
        }
      }
    });

    const rfid = { tag_type: [{ const: 'rfid' }] };

    for (const [what, format, payload] of COSTLY_FORMATS) {
      it(`${what} are work, too, and make a message one for a thread`, () => {
        expect(mapBriefly(format, { topic: 'a', payload: Buffer.from(payload) })).to.equal(null);
      });
    }

    it('every built-in format reads what its devices send without being given up', () => {
      for (const { format, seeds } of loadTargets()) {
        for (const seed of format.name.startsWith('whole-language') ? [] : seeds) {
          expect(mapBriefly(format, seed), format.name).not.to.equal(null);
        }
      }
    });

    it('a format of more than 1,000 steps is refused, whatever they are', () => {
      const value = [{ item: '/v' }];
      for (const rule of [
        {
          fields: {
            ...rfid,
            value: often(2, { item: '/a'.repeat(250) }),
            reader: often(3, { item: '/a'.repeat(250) }),
          },
        },
        { fields: { ...rfid, value }, only: often(11, { item: '', in: often(100, 'x') }) },
        {
          fields: {
            ...rfid,
            value: often(20, { join: often(10, { item: '/v', transform: often(6, 'upper' as const) }) }),
          },
        },
        { fields: { ...rfid, value }, each: often(10, '/a'.repeat(120)) },
      ]) {
        expect(() => formatOf(rule)).to.throw('at most 1000 are allowed');
      }
    });
  });

  describe('of JSON', () => {
    it('keeps the digits of numbers beyond 2^53, and everything else as it is', () => {
      const format = formatOf({
        fields: {
          tag_type: [{ const: 'rfid' }],
          value: [{ item: '/long', transform: ['decimal-to-hex'] }],
          rssi: [{ item: '/rssi' }],
          observed_at: [{ item: '/at', transform: [{ epoch: 'ns' }] }],
        },
      });
      const payload =
        '{"long":79228162514264337593543950335,"rssi":-54.50000000000000000,"at":1780591822281001999}';
      expect(readsOf(map(format, payload))[0]).to.include({
        value: 'F'.repeat(24),
        rssi: -54.5,
        deviceTime: micros('2026-06-04T16:50:22.281001Z'),
      });
    });

    it('does not take a long number for text', () => {
      expect(outcomesOf(map(builtin('tagtrail'), '{"value":12345678901234567890}'))).to.deep.equal([
        'rejected: value 12345678901234567890 (item /value) is not a text',
      ]);
    });

    it('shows a long number in an excerpt, and finds nothing below it', () => {
      const format = formatOf({ fields: { tag_type: [{ const: 'rfid' }], value: [{ item: '/n/text' }] } });
      expect(map(format, '{"n":12345678901234567890}')).to.have.nested.property(
        'items[0].excerpt',
        '{"n":"12345678901234567890"}',
      );
    });
  });

  describe('of lines and text', () => {
    it('splits fields, respecting quotes', () => {
      const cases: [string, string[]][] = [
        ['a,b,', ['a', 'b', '']],
        ['"a,b",c', ['a,b', 'c']],
        ['"say ""hi""",c', ['say "hi"', 'c']],
        ['a,"open', ['a', 'open']],
        ['"a"tail,b', ['a', 'b']],
        ['a"b,c', ['a"b', 'c']],
        ['"",""', ['', '']],
        ['"', ['']],
      ];
      for (const [line, fields] of cases) {
        expect(splitFields(line, ','), line).to.deep.equal(fields);
      }
    });

    it('takes a whole text as the item, without the line end of a scanner', () => {
      const format = formatOf(
        { each: '', fields: { tag_type: [{ const: 'barcode' }], value: [{ item: '' }] } },
        { decode: ['json', 'text'] },
      );
      for (const payload of ['0012 3', '0012 3\r\n', '0012 3\n']) {
        expect(outcomesOf(map(format, payload))).to.deep.equal(['read barcode 0012 3']);
      }
      expect(outcomesOf(map(format, '4006381333931'))).to.deep.equal(['read barcode 4006381333931']);
      expect(map(format, '')).to.include({ outcome: 'rejected' });
    });

    it('tries decodings in turn and names the fault of each', () => {
      const format = formatOf({}, { decode: ['json', 'msgpack'] });
      expect(map(format, 'x'))
        .to.have.property('reason')
        .that.matches(/^payload is not JSON: .*; payload is MessagePack, but/);
    });
  });

  describe('of what C firmware ends with a NUL', () => {
    // Of bytes a NUL is one.
    for (const { format, seeds } of loadTargets().filter(({ format }) => !format.name.endsWith('-bytes'))) {
      it(`is the same as without in ${format.name}`, () => {
        for (const { topic, payload } of seeds) {
          const read = (end: string) =>
            mapMessage(format, { topic, payload: Buffer.concat([payload, Buffer.from(end)]) });
          for (const end of ['\0', '\0\0\0']) {
            expect(read(end)).to.deep.equal(read(''));
          }
        }
      });
    }

    it('is the same with line ends before and behind it', () => {
      const json = '{"value":"a"}';
      for (const text of [`${json}\0`, `${json}\r\n\0`, `${json}\0\n`, `\ufeff${json}\0`]) {
        expect(outcomesOf(map(builtin('tagtrail'), text))).to.deep.equal(['read rfid a']);
      }
      const text = formatOf(
        { fields: { value: [{ item: '' }], ...{ tag_type: [{ const: 'barcode' }] } } },
        { decode: 'text' },
      );
      for (const scanned of ['401\0', '401\r\n\0', '401\0\r\n', '\ufeff401']) {
        expect(outcomesOf(map(text, scanned))).to.deep.equal(['read barcode 401']);
      }
    });

    it('is several objects of a stream, and no more', () => {
      const event = (idHex: string) => JSON.stringify({ data: { idHex } });
      expect(
        outcomesOf(map(builtin('zebra-iotc'), `${event('A1')}\0${event('A2')}\0\n${event('A3')}\0`)),
      ).to.deep.equal(['read rfid A1', 'read rfid A2', 'read rfid A3']);
    });

    it('is lines with their times', () => {
      const line = (mac: string) => `$GPRP,${mac},E3C33FF50AEC,-50,0201,1780591822`;
      const reads = readsOf(
        map(builtin('ingics'), `${line('0C61CFC10A4E')}\0\r\n${line('0C61CFC10A4F')}\r\n\0`),
      );
      expect(reads.map(({ value, deviceTime }) => [value, deviceTime])).to.deep.equal([
        ['0C61CFC10A4E', 1_780_591_822_000_000],
        ['0C61CFC10A4F', 1_780_591_822_000_000],
      ]);
    });

    it('is a text that is ignored', () => {
      expect(map(builtin('impinj-r700'), 'connected\0')).to.include({ outcome: 'ignored' });
      expect(map(builtin('tagtrail'), '\0\0')).to.deep.include({ outcome: 'rejected' });
    });
  });

  describe('of MessagePack', () => {
    const format = formatOf(
      {
        fields: {
          tag_type: [{ const: 'rfid' }],
          value: [{ item: '/epc', transform: ['hex'] }],
          observed_at: [{ item: '/at', transform: [{ epoch: 'auto' }] }],
        },
      },
      { decode: 'msgpack' },
    );

    it('reads text, bytes, 64-bit integers and timestamps', () => {
      const at = BigInt('1780591822281001999');
      const epc = new Uint8Array([0xe2, 0x80]);
      expect(readsOf(map(format, encode({ epc, at }, { useBigInt64: true })))[0]).to.include({
        value: 'E280',
        deviceTime: micros('2026-06-04T16:50:22.281001Z'),
      });
      for (const iso of ['2026-06-04T16:50:22Z', '2026-06-04T16:50:22.281Z', '2099-01-01T00:00:00Z']) {
        const [read] = readsOf(map(format, encode({ epc: 'e280', at: new Date(iso) })));
        expect(read).to.include({ value: 'E280', deviceTime: micros(iso) });
      }
    });

    it('reads what an independent encoder writes', () => {
      const json = fc.jsonValue({ maxDepth: 5 });
      fc.assert(
        fc.property(fc.oneof(fc.array(json), fc.dictionary(fc.string(), json)), (value) => {
          // Minus zero is not kept by that encoder.
          const written = JSON.parse(JSON.stringify(value)) as unknown;
          expect(decodeMsgpack(Buffer.from(encode(written, { maxDepth: 100 })))).to.deep.equal({
            documents: [written],
          });
        }),
        { numRuns: 1_000 },
      );
    });

    it('takes any key as ordinary', () => {
      const payload = Buffer.from('81a95f5f70726f746f5f5f81a378797a01', 'hex');
      const decoded = decodeMsgpack(payload);
      expect(decoded).to.have.property('documents');
      expect(JSON.stringify(decoded)).to.equal('{"documents":[{"__proto__":{"xyz":1}}]}');
    });

    it('keeps the digits of large integers', () => {
      const decoded = decodeMsgpack(Buffer.from('92cfffffffffffffffffd38000000000000000', 'hex'));
      const [numbers] = 'documents' in decoded ? decoded.documents : [];
      expect(numbers).to.satisfy((all: LongNumber[]) =>
        ['18446744073709551615', '-9223372036854775808'].every(
          (text, at) => LongNumber.text(all[at] as LongNumber) === text,
        ),
      );
    });

    it('rejects what is cut off, left over, too deep, or announces more than is there', () => {
      const cases: [string, RegExp][] = [
        ['', /ends too early/],
        ['91', /ends too early/],
        ['ddffffffff', /ends too early/],
        ['dfffffffff', /ends too early/],
        ['91dbffffffff', /ends too early/],
        ['91c6ffffffff', /ends too early/],
        ['91c9ffffffff01', /ends too early/],
        ['9001', /left over/],
        ['c1', /begins nothing/],
        ['05', /neither a map nor an array/],
        ['819001', /key/],
        ['91'.repeat(100), /deeper than 64/],
      ];
      for (const [hex, reason] of cases) {
        const mapped = map(format, Buffer.from(hex, 'hex'));
        expect(mapped, hex).to.include({ outcome: 'rejected' });
        expect(mapped, hex).to.have.property('reason').that.matches(reason);
      }
    });
  });
});
