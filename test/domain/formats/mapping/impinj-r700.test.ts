import { expect } from 'chai';
import { builtin, map, micros, outcomesOf, readsOf } from '../../../support/mapping.ts';

describe('the format impinj-r700', () => {
  const format = builtin('impinj-r700');
  const event = {
    timestamp: '2026-02-26T17:13:37.432087177Z',
    eventType: 'tagInventory',
    tagInventoryEvent: { epc: '4oARYGAAAgpmgfI-', antennaPort: 3, peakRssiCdbm: -7400 },
  };
  const read = {
    tagType: 'rfid',
    value: 'E28011606000020A6681F23E',
    antenna: 3,
    rssi: -74,
    deviceTime: micros('2026-02-26T17:13:37.432087Z'),
    reader: null,
    reportUnknown: true,
    unusable: null,
  };
  const eventWith = (more: Record<string, unknown>) => ({
    ...event,
    tagInventoryEvent: { ...event.tagInventoryEvent, ...more },
  });

  it('reads one event, its time cut to microseconds', () => {
    expect(readsOf(map(format, event))).to.deep.equal([read]);
  });

  it('reads the EPC of a tag of any length, padded or not, in either alphabet', () => {
    const epcOf = (epc: string) => readsOf(map(format, eventWith({ epc })))[0]?.value;
    expect(epcOf('4oARYGAAAgpmgfI+')).to.equal(read.value);
    expect(epcOf('__79')).to.equal('FFFEFD');
    expect(epcOf('AAECAw==')).to.equal('00010203');
    expect(epcOf('AAECAw')).to.equal('00010203');
    expect(epcOf('A'.repeat(42))).to.equal('0'.repeat(62));
  });

  it('takes hundredths of a dBm exactly, quoted too', () => {
    const rssiOf = (peakRssiCdbm: unknown) => readsOf(map(format, eventWith({ peakRssiCdbm })))[0]?.rssi;
    expect(rssiOf(-7435)).to.equal(-74.35);
    expect(rssiOf('-5050')).to.equal(-50.5);
    expect(rssiOf('weak')).to.equal(null);
    expect(rssiOf(null)).to.equal(null);
  });

  it('prefers the EPC in hex, where that is switched on and usable', () => {
    const epcOf = (more: Record<string, unknown>) => readsOf(map(format, eventWith(more)))[0]?.value;
    expect(epcOf({ epcHex: 'e28011606000020a6681f23f' })).to.equal('E28011606000020A6681F23F');
    expect(epcOf({ epc: undefined, epcHex: 'E280' })).to.equal('E280');
    for (const epcHex of ['', 'none', null, 280]) {
      expect(epcOf({ epcHex })).to.equal(read.value);
    }
  });

  it('prefers the time a tag was last seen, where that is switched on and usable', () => {
    const timeOf = (lastSeenTime: unknown) =>
      readsOf(map(format, eventWith({ lastSeenTime })))[0]?.deviceTime;
    expect(timeOf('2026-02-26T17:13:36.100000999Z')).to.equal(micros('2026-02-26T17:13:36.100000Z'));
    for (const unusable of ['', 'never', null, '1970-01-01T00:00:07.000000000Z']) {
      expect(timeOf(unusable)).to.equal(read.deviceTime);
    }
    expect(readsOf(map(format, { ...event, lastSeenTime: '2026-02-26T17:13:36Z' }))).to.deep.equal([read]);
  });

  it("tells the reader's host name, where that is switched on", () => {
    expect(readsOf(map(format, { ...event, hostname: 'impinj-14-3b-7f' }))).to.deep.equal([
      { ...read, reader: 'impinj-14-3b-7f' },
    ]);
  });

  it('does without antenna, signal strength and time', () => {
    const bare = { eventType: 'tagInventory', tagInventoryEvent: { epc: '4oARYGAAAgpmgfI-' } };
    expect(readsOf(map(format, bare))).to.deep.equal([
      { ...read, antenna: null, rssi: null, deviceTime: null },
    ]);
  });

  it('reads the array of a webhook, and its empty keep-alive as no items', () => {
    expect(readsOf(map(format, [event, event]))).to.deep.equal([read, read]);
    expect(readsOf(map(format, '[]'))).to.deep.equal([]);
  });

  it('ignores what is sent when a connection opens or is lost, which is plain text', () => {
    for (const text of ['connected', ' disconnected\n', 'online', 'offline']) {
      expect(map(format, text)).to.deep.equal({
        outcome: 'ignored',
        reason: `the text "${text.trim()}" is ignored`,
      });
    }
  });

  it('ignores events of other types, of which the loss of reads is worth a line in the log', () => {
    const reason = 'item /eventType is none of: tagInventory and item /tagInventoryEvent does not exist';
    const others = [
      { timestamp: event.timestamp, eventType: 'inventoryStatus', inventoryStatusEvent: { status: 'idle' } },
      { timestamp: event.timestamp, eventType: 'overflow', overflowEvent: {} },
      { timestamp: event.timestamp, eventType: 'overflowEvent' },
      {},
    ];
    expect(map(format, [...others, event])).to.deep.equal({
      outcome: 'items',
      items: [
        { outcome: 'ignored', reason },
        { outcome: 'ignored', reason, warning: 'item /eventType is one of: overflow, overflowEvent' },
        { outcome: 'ignored', reason, warning: 'item /eventType is one of: overflow, overflowEvent' },
        { outcome: 'ignored', reason },
        { outcome: 'read', read },
      ],
    });
  });

  it('rejects an event without a usable EPC, and keeps its neighbours', () => {
    const mapped = map(format, [
      event,
      { ...event, tagInventoryEvent: undefined },
      eventWith({ epc: '' }),
      eventWith({ epc: 'A' }),
      eventWith({ epc: null, epcHex: null }),
      event,
    ]);
    expect(outcomesOf(mapped).map((outcome) => outcome.replace(/ .*/, ''))).to.deep.equal([
      'read',
      'rejected:',
      'rejected:',
      'rejected:',
      'rejected:',
      'read',
    ]);
  });

  it('rejects a message that is no event at all', () => {
    for (const payload of ['', '7x', 'disconnect', '{"eventType":"tagInventory"']) {
      expect(map(format, payload)).to.include({ outcome: 'rejected' });
    }
  });
});
