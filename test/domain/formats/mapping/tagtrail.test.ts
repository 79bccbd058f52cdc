import { expect } from 'chai';
import { builtin, map, micros, outcomesOf, readsOf } from '../../../support/mapping.ts';

describe('the format tagtrail', () => {
  const format = builtin('tagtrail');
  const full = {
    tag_type: 'rfid',
    value: 'E2801160600002085A4B1234',
    antenna: 2,
    rssi: -54.25,
    observed_at: '2026-05-01T10:00:00.123Z',
  };
  const read = {
    tagType: 'rfid',
    value: 'E2801160600002085A4B1234',
    antenna: 2,
    rssi: -54.25,
    deviceTime: micros('2026-05-01T10:00:00.123Z'),
    reader: null,
    reportUnknown: true,
    unusable: null,
  };

  it('reads one object, an array of objects, and reads in an object alike', () => {
    expect(readsOf(map(format, full))).to.deep.equal([read]);
    expect(readsOf(map(format, [full, full]))).to.deep.equal([read, read]);
    expect(readsOf(map(format, { reads: [full] }))).to.deep.equal([read]);
  });

  it('maps an empty array to no items', () => {
    expect(readsOf(map(format, []))).to.deep.equal([]);
    expect(readsOf(map(format, { reads: [] }))).to.deep.equal([]);
  });

  it('takes a read of which nothing but the value is known', () => {
    expect(readsOf(map(format, { value: 'x' }))).to.deep.equal([
      {
        tagType: 'rfid',
        value: 'x',
        antenna: null,
        rssi: null,
        deviceTime: null,
        reader: null,
        reportUnknown: true,
        unusable: null,
      },
    ]);
  });

  it('takes values as they are', () => {
    for (const value of [' e2-80 ', 'Ünïcode 😀', '*****', 'a\tb\nc', '__proto__', '0'.repeat(255)]) {
      expect(readsOf(map(format, { value }))[0]?.value).to.equal(value);
    }
  });

  it('counts characters of a value, not UTF-16 units', () => {
    expect(readsOf(map(format, { value: '😀'.repeat(255) }))).to.have.length(1);
    expect(outcomesOf(map(format, { value: '😀'.repeat(256) }))[0]).to.match(/^rejected: .*longer than 255/);
  });

  it('keeps unknown strangers of ble to itself, of other kinds not', () => {
    const kinds = ['rfid', 'ble', 'barcode'].map((tag_type) => ({ tag_type, value: 'x' }));
    expect(readsOf(map(format, kinds)).map((each) => each.reportUnknown)).to.deep.equal([true, false, true]);
  });

  it('rejects what has no usable value, and never its neighbours', () => {
    const mapped = map(format, [
      { value: 'a' },
      { tag_type: 'rfid' },
      { value: '' },
      { value: 12 },
      { value: null },
      { value: { nested: true } },
      { value: 'n\u0000ul' },
      { value: 'd\u007fel' },
      { value: '\ud800' },
      { value: 'x'.repeat(256) },
      7,
      null,
      'text',
      { value: '\u0002b\u0000\u0000' },
      { value: '\u0000' },
    ]);
    expect(outcomesOf(mapped)).to.deep.equal([
      'read rfid a',
      'rejected: no value (nothing at item /value)',
      'rejected: value "" (item /value) is empty',
      'rejected: value 12 (item /value) is not a text',
      'rejected: no value (nothing at item /value)',
      'rejected: value (an object) (item /value) is not a text',
      'rejected: value "n\\u0000ul" (item /value) holds a control character',
      'rejected: value "d el" (item /value) holds a control character',
      'rejected: value "\\ud800" (item /value) holds characters that are not valid Unicode',
      `rejected: value "${'x'.repeat(78)}… (item /value) is longer than 255 characters`,
      'rejected: no value (nothing at item /value)',
      'rejected: no value (nothing at item /value)',
      'rejected: no value (nothing at item /value)',
      'read rfid b',
      'rejected: value "\\u0000" (item /value) holds a control character',
    ]);
  });

  it('rejects a kind of tag that there is not, and takes null for none given', () => {
    const mapped = map(format, [
      { tag_type: 'qr', value: 'a' },
      { tag_type: 'RFID', value: 'a' },
      { tag_type: '', value: 'a' },
      { tag_type: 1, value: 'a' },
      { tag_type: null, value: 'a' },
    ]);
    expect(outcomesOf(mapped)).to.deep.equal([
      'rejected: tag type "qr" is none of: rfid, ble, barcode',
      'rejected: tag type "RFID" is none of: rfid, ble, barcode',
      'rejected: tag type "" is none of: rfid, ble, barcode',
      'rejected: tag type 1 is none of: rfid, ble, barcode',
      'read rfid a',
    ]);
  });

  it('says which item was rejected and shows it', () => {
    const mapped = map(format, [{ value: 'a' }, { tag_type: 'qr', value: 'b', note: 'n'.repeat(10_000) }]);
    expect(mapped).to.have.nested.property('items[1].index', 1);
    expect(mapped)
      .to.have.nested.property('items[1].excerpt')
      .that.match(/^{"tag_type":"qr","value":"b"/);
    expect(mapped).to.have.nested.property('items[1].excerpt').with.length(500);
  });

  it('does without an antenna, a signal strength or a time that it cannot use', () => {
    for (const odd of ['', 'x', '1x', '0x10', true, [], {}, null, '1e999', ' ', '٣']) {
      const [one] = readsOf(map(format, { value: 'v', antenna: odd, rssi: odd, observed_at: odd }));
      expect(one, JSON.stringify(odd)).to.include({ rssi: null, deviceTime: null });
    }
  });

  it('takes ports from 1 to 65535, also quoted, and anything else for a name', () => {
    const antennas = [
      3,
      '4',
      ' 5 ',
      65_535,
      0,
      -1,
      1.5,
      65_536,
      ' yard-left ',
      [2, 3],
      true,
      {},
      '',
      ' ',
      null,
    ].map((antenna) => ({ value: 'v', antenna }));
    const taken = readsOf(map(format, antennas)).map((read) => read.antenna);
    expect(taken).to.deep.equal([
      ...[3, 4, 5, 65_535, '0', '-1', '1.5', '65536', 'yard-left', '[2,3]', 'true', '{}'],
      ...[null, null, null],
    ]);
    const [long] = readsOf(map(format, { value: 'v', antenna: 'x'.repeat(1_000) }));
    expect(long?.antenna).to.have.length(64);
  });

  it('takes a signal strength with its fraction, also quoted, unless no radio has it', () => {
    const strengths = [-54, '-54.5', -149.9, '+3', 0, 127, '202', 1e300, -150, -200, 'weak', '', null];
    const reads = readsOf(
      map(
        format,
        strengths.map((rssi) => ({ value: 'v', rssi })),
      ),
    );
    expect(reads.slice(0, 3).map((read) => read.rssi)).to.deep.equal([-54, -54.5, -149.9]);
    expect(reads.slice(3).map((read) => read.rssi)).to.deep.equal(Array(10).fill(null));
    expect(reads.map((read) => read.unusable?.rssi ?? null)).to.deep.equal([
      ...[null, null, null],
      ...['+3', 0, 127, '202', 1e300, -150, -200, 'weak', null, null],
    ]);
  });

  it('finds ordinary keys only, whatever keys the payload has', () => {
    const mapped = map(format, '{"__proto__":{"value":"inherited"},"constructor":1,"toString":2}');
    expect(outcomesOf(mapped)).to.deep.equal(['rejected: no value (nothing at item /value)']);
    expect(outcomesOf(map(format, '{"__proto__":{"value":"x"},"value":"own"}'))).to.deep.equal([
      'read rfid own',
    ]);
  });

  it('rejects a message that is no object and no array', () => {
    for (const payload of ['5', 'null', '"text"', 'true', '12345678901234567890']) {
      expect(map(format, payload)).to.include({ outcome: 'rejected' });
    }
  });

  it('rejects a message that is not JSON, with a reason a person can read', () => {
    for (const payload of ['', ' ', '{', '{"value":"a"', '[1,]', 'connected', '\u0000']) {
      const mapped = map(format, payload);
      expect(mapped).to.include({ outcome: 'rejected' });
      expect(mapped)
        .to.have.property('reason')
        .that.match(/^payload is (empty|not JSON: [\x20-\x7e…]+)$/);
    }
  });

  it('reads a payload with a byte order mark', () => {
    expect(outcomesOf(map(format, '\ufeff{"value":"a"}'))).to.deep.equal(['read rfid a']);
  });

  it('rejects a value whose bytes are not UTF-8, and only that', () => {
    const payload = Buffer.concat([
      Buffer.from('[{"value":"a'),
      Buffer.from([0xff]),
      Buffer.from('"},{"value":"b"}]'),
    ]);
    expect(outcomesOf(map(format, payload))).to.deep.equal([
      'rejected: value "a\ufffd" (item /value) holds characters that are not valid Unicode',
      'read rfid b',
    ]);
  });
});
