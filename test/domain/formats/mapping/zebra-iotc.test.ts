import { expect } from 'chai';
import { builtin, map, micros, outcomesOf, readsOf } from '../../../support/mapping.ts';

describe('the format zebra-iotc', () => {
  const format = builtin('zebra-iotc');
  const event = {
    data: { eventNum: 194, format: 'epc', idHex: 'ad99160040aac99525000099', antenna: 3, peakRssi: -54 },
    timestamp: '2026-02-24T10:14:42.851+0000',
    type: 'INVENTORY',
  };
  const read = {
    tagType: 'rfid',
    value: 'AD99160040AAC99525000099',
    antenna: 3,
    rssi: -54,
    deviceTime: micros('2026-02-24T10:14:42.851Z'),
    reader: null,
    reportUnknown: true,
    unusable: null,
  };
  const heartbeat = { type: 'heartbeat', timestamp: '2026-02-24T10:14:43.000+0000', data: { radio: 'ok' } };

  it('reads an object, an array, and objects back to back or a line each', () => {
    const text = JSON.stringify(event);
    expect(readsOf(map(format, event))).to.deep.equal([read]);
    expect(readsOf(map(format, [event, event]))).to.deep.equal([read, read]);
    for (const between of ['', '\n', '\r\n', ' ', '\u001e']) {
      expect(readsOf(map(format, `${text}${between}${text}${between}`))).to.deep.equal([read, read]);
    }
    expect(readsOf(map(format, `[${text}]${text}`))).to.deep.equal([read, read]);
  });

  it('maps an empty array to no items', () => {
    expect(readsOf(map(format, []))).to.deep.equal([]);
  });

  it('does without antenna, signal strength, format and time', () => {
    expect(readsOf(map(format, { data: { idHex: 'AD99' }, type: 'CUSTOM' }))).to.deep.equal([
      { ...read, value: 'AD99', antenna: null, rssi: null, deviceTime: null },
    ]);
  });

  it('ignores heartbeats, alone and between reads', () => {
    expect(outcomesOf(map(format, heartbeat))).to.deep.equal(['ignored: item /data/idHex does not exist']);
    expect(outcomesOf(map(format, [event, heartbeat, event]))).to.deep.equal([
      'read rfid AD99160040AAC99525000099',
      'ignored: item /data/idHex does not exist',
      'read rfid AD99160040AAC99525000099',
    ]);
  });

  it('takes all but the last 24 digits of a fast id, however long the EPC is, and a short one as it is', () => {
    const fast = (idHex: string) => ({ data: { idHex, format: 'fastID' } });
    const tid = 'e28011b02000b30a26ba0aa6';
    const epcs = ['ad99160040aac99525000099', '08000000000000001dc184bf8b21840a', '3e0c0000000000a1', '3e'];
    expect(
      outcomesOf(map(format, [...epcs.map((epc) => fast(`${epc}${tid}`)), fast(tid), fast('ad9916')])),
    ).to.deep.equal([
      ...epcs.map((epc) => `read rfid ${epc.toUpperCase()}`),
      `read rfid ${tid.toUpperCase()}`,
      'read rfid AD9916',
    ]);
  });

  it('reads offsets with and without a colon', () => {
    const at = (timestamp: string) => readsOf(map(format, { ...event, timestamp }))[0]?.deviceTime;
    expect(at('2026-02-24T04:14:42.851-0600')).to.equal(read.deviceTime);
    expect(at('2026-02-24T04:14:42.851-06:00')).to.equal(read.deviceTime);
    expect(at('2026-02-24T10:14:42.851Z')).to.equal(read.deviceTime);
    expect(at('2026-02-24T10:14:42.851')).to.equal(null);
  });

  it('reads EPCs of any length', () => {
    for (const idHex of ['AB', '0'.repeat(32), 'E'.repeat(124)]) {
      expect(readsOf(map(format, { data: { idHex } }))[0]?.value).to.equal(idHex);
    }
  });

  it('rejects an identifier that is not hex, and never its neighbours', () => {
    expect(
      outcomesOf(map(format, [event, { data: { idHex: 'xyz' } }, { data: { idHex: 12 } }, event])),
    ).to.deep.equal([
      'read rfid AD99160040AAC99525000099',
      'rejected: value "xyz" (item /data/idHex) is not of the kind that the format expects',
      'rejected: value 12 (item /data/idHex) is not of the kind that the format expects',
      'read rfid AD99160040AAC99525000099',
    ]);
  });

  it('keeps the events before a broken one, and rejects the rest', () => {
    const mapped = map(format, `${JSON.stringify(event)}{"data":{"idHex":"ad`);
    expect(outcomesOf(mapped)).to.have.length(2);
    expect(outcomesOf(mapped)[0]).to.equal('read rfid AD99160040AAC99525000099');
    expect(mapped).to.have.nested.property('items[1].outcome', 'rejected');
    expect(mapped).to.have.nested.property('items[1].excerpt', '{"data":{"idHex":"ad');
    expect(mapped).to.have.nested.property('items[1].index', 1);
  });

  it('rejects a message that begins with anything else', () => {
    for (const payload of ['', '  ', 'online', '7', 'null', '"x"', '}']) {
      expect(map(format, payload)).to.include({ outcome: 'rejected' });
    }
  });
});
