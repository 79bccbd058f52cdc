import { expect } from 'chai';
import fc from 'fast-check';
import { fromDatabase, parseTimestamp, sentinelOf, toDatabase, toWire } from '../../base/timestamps.ts';

describe('timestamps', () => {
  for (const [text, instant] of [
    ['2026-05-01T10:00:00Z', '2026-05-01T10:00:00.000000Z'],
    ['2026-05-01t10:00:00.1z', '2026-05-01T10:00:00.100000Z'],
    ['2026-05-01T10:00:00.123456789+05:30', '2026-05-01T04:30:00.123456Z'],
    ['1969-12-31T23:59:59.9999999Z', '1969-12-31T23:59:59.999999Z'],
    ['2024-02-29T00:00:00-00:00', '2024-02-29T00:00:00.000000Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000000Z'],
    ['2017-01-01T01:59:60.5+02:00', '2017-01-01T00:00:00.000000Z'],
    ['0001-01-01T00:30:00+01:00', '0000-12-31T23:30:00.000000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999000Z'],
  ] as const) {
    it(`read ${text}`, () => {
      expect(parseTimestamp(text)).to.equal(instant);
    });
  }

  for (const text of [
    '',
    '2026-05-01',
    '2026/05/01T10:00:00Z',
    '2026-05-01 10:00:00Z',
    '2026-05-01T10:00:00',
    '2026-05-01T10:00Z',
    '2026-05-01T10:00:00.Z',
    '2026-05-01T10:00:00.1234567890Z',
    '2026-05-01T10:00:00+0200',
    '2026-05-01T10:00:00+24:00',
    '2026-02-29T10:00:00Z',
    '2026-13-01T10:00:00Z',
    '2026-05-01T24:00:00Z',
    '2026-05-01T10:00:60Z',
    '9999-12-31T23:59:59-01:00',
    '0000-01-01T00:00:00+01:00',
    '2026-05-01T10:00:00Z\n',
    '２026-05-01T10:00:00Z',
  ]) {
    it(`are not ${JSON.stringify(text)}`, () => {
      expect(parseTimestamp(text)).to.equal(null);
    });
  }

  it('agree with the platform for every instant and offset', () => {
    const offset = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 });
    const date = fc.date({ min: new Date('0002-01-01Z'), max: new Date('9998-12-31Z'), noInvalidDate: true });
    fc.assert(
      fc.property(date, offset, (utc, minutes) => {
        const local = new Date(utc.getTime() + minutes * 60_000).toISOString().slice(0, -1);
        const two = (n: number) => String(Math.floor(n)).padStart(2, '0');
        const zone = `${minutes < 0 ? '-' : '+'}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
        const parsed = parseTimestamp(local + zone);
        expect(parsed === null ? null : toWire(parsed)).to.equal(utc.toISOString());
      }),
    );
  });

  it('know the two instants that stand for nothing', () => {
    const sentinel = (text: string) => {
      const instant = parseTimestamp(text);
      return instant === null ? undefined : sentinelOf(instant);
    };
    expect(sentinel('1970-01-01T02:00:00.000+02:00')).to.equal('1970-01-01T00:00:00Z');
    expect(sentinel('0000-12-31T23:00:00-01:00')).to.equal('0001-01-01T00:00:00Z');
    expect(sentinel('1970-01-01T00:00:00.000999Z')).to.equal('1970-01-01T00:00:00Z');
    expect(sentinel('1970-01-01T00:00:00.001Z')).to.equal(null);
    expect(sentinel('1969-12-31T23:59:59.999999Z')).to.equal(null);
  });

  it('come from the database with every digit, and are cut to milliseconds on the wire', () => {
    for (const [text, wire] of [
      ['2026-05-01 10:00:00+00', '2026-05-01T10:00:00.000Z'],
      ['2026-05-01 10:00:00.1+00', '2026-05-01T10:00:00.100Z'],
      ['2026-05-01 10:00:00.123999+00', '2026-05-01T10:00:00.123Z'],
      ['0001-12-31 23:30:00+00 BC', '0000-12-31T23:30:00.000Z'],
    ] as const) {
      expect(toWire(fromDatabase(text))).to.equal(wire);
    }
    const yearZero = parseTimestamp('0000-12-31T23:30:00Z');
    expect(yearZero === null ? null : toDatabase(yearZero)).to.equal('0001-12-31T23:30:00.000000Z BC');
  });
});
