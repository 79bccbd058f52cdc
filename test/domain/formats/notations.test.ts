import { expect } from 'chai';
import { dryRun } from '../../../domain/formats/dry-run.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';

/** What a message says beside the tag; undefined for what it leaves out. */
interface Said {
  time?: unknown;
  antenna?: unknown;
  rssi?: unknown;
}

interface Device {
  topic?: string;
  /** False for devices whose messages have no place for an antenna. */
  hasAntenna: boolean;
  write(said: Said): unknown;
}

const EPC = 'E28011606000020A6681FA3E';
const BASE64 = Buffer.from(EPC, 'hex').toString('base64');
const MAC = 'C30000250001';

/** Hundredths of a dBm, where a strength is a number. */
function hundredths(rssi: unknown): unknown {
  return typeof rssi === 'number' ? 100 * rssi : rssi === '-61' ? '-6100' : rssi;
}

const DEVICES: Readonly<Record<string, Device>> = {
  tagtrail: {
    hasAntenna: true,
    write: ({ time, ...said }) => ({ value: EPC, ...said, observed_at: time }),
  },
  'zebra-iotc': {
    hasAntenna: true,
    write: ({ time, antenna, rssi }) => ({ timestamp: time, data: { idHex: EPC, antenna, peakRssi: rssi } }),
  },
  'zebra-rfd40': {
    hasAntenna: false,
    write: ({ time, rssi }) => ({ timestamp: time, data: { tagData: [{ EPCid: EPC, peakRssi: rssi }] } }),
  },
  'impinj-r700': {
    hasAntenna: true,
    write: ({ time, antenna, rssi }) => ({
      eventType: 'tagInventory',
      timestamp: time,
      tagInventoryEvent: { epcHex: EPC, antennaPort: antenna, peakRssiCdbm: hundredths(rssi) },
    }),
  },
  'impinj-smartreader': {
    hasAntenna: true,
    write: ({ time, antenna, rssi }) => ({
      tag_reads: [{ epc: EPC, firstSeenTimestamp: time, antennaPort: antenna, peakRssi: rssi }],
    }),
  },
  'impinj-speedway-connect': {
    hasAntenna: true,
    write: ({ time, antenna, rssi }) => ({
      ...{ epc: EPC, firstSeenTimestamp: time, antennaPort: antenna, peakRssi: rssi },
    }),
  },
  'csl-cs463': {
    hasAntenna: true,
    write: ({ time, antenna, rssi }) => ({
      tags: [{ epc: EPC, timeStampOfRead: time, antennaPort: antenna, rssi }],
    }),
  },
  'keonn-advannet': {
    hasAntenna: true,
    write: ({ time, antenna, rssi }) => ({ reads: [{ epc: EPC, ts: time, antenna, rssi }] }),
  },
  'edgex-llrp': {
    hasAntenna: true,
    write: ({ time, antenna, rssi }) => ({
      TagReportData: [{ EPC96: { EPC: BASE64 }, LastSeenUTC: time, AntennaID: antenna, PeakRSSI: rssi }],
    }),
  },
  'minew-json': {
    hasAntenna: false,
    write: ({ time, rssi }) => [{ type: 'Unknown', mac: MAC, timestamp: time, rssi }],
  },
  'moko-mk107': {
    hasAntenna: false,
    write: ({ time, rssi }) => ({ msg_id: 3004, data: [{ value: { mac: MAC, timestamp: time, rssi } }] }),
  },
  'moko-mkgw': {
    hasAntenna: false,
    write: ({ time, rssi }) => ({ msg_id: 3070, data: [{ mac: MAC, timestamp: time, rssi }] }),
  },
  openmqttgateway: {
    topic: `home/gw/BTtoMQTT/${MAC}`,
    hasAntenna: false,
    write: ({ time, rssi }) => ({ id: MAC, unixtime: time, rssi }),
  },
  'glinet-gls10': {
    hasAntenna: false,
    write: ({ time, rssi }) => ({ dev_list: [{ mac: MAC, ts: time, rssi }] }),
  },
  'ruuvi-gateway': {
    topic: `ruuvi/DEADBEEF0001/${MAC}`,
    hasAntenna: false,
    write: ({ time, rssi }) => ({ gw_mac: 'DEADBEEF0001', ts: time, rssi }),
  },
  ingics: {
    hasAntenna: false,
    write: ({ time, rssi }) => ({ data: [`$GPRP,${MAC},E3C33FF50AEC,${rssi ?? ''},0201,${time ?? ''}`] }),
  },
};

/** Notations of an instant, and what is read of each; null where there is no time, or none that can be read. */
const TIMES: readonly (readonly [given: unknown, read: string | null])[] = [
  [1_780_591_822, '2026-06-04T16:50:22.000000Z'],
  ['1780591822', '2026-06-04T16:50:22.000000Z'],
  [1_780_591_822.5, '2026-06-04T16:50:22.500000Z'],
  [1_780_591_822_281, '2026-06-04T16:50:22.281000Z'],
  ['1780591822281', '2026-06-04T16:50:22.281000Z'],
  [1_780_591_822_281_042, '2026-06-04T16:50:22.281042Z'],
  ['1780591822281042', '2026-06-04T16:50:22.281042Z'],
  ['1780591822281042999', '2026-06-04T16:50:22.281042Z'],
  ['2026-06-04T16:50:22Z', '2026-06-04T16:50:22.000000Z'],
  ['2026-06-04T16:50:22.281Z', '2026-06-04T16:50:22.281000Z'],
  ['2026-06-04T16:50:22.281042999Z', '2026-06-04T16:50:22.281042Z'],
  ['2026-06-04T10:50:22.281-0600', '2026-06-04T16:50:22.281000Z'],
  ['2026-06-04T22:20:22.281+05:30', '2026-06-04T16:50:22.281000Z'],
  ['2026-06-04T16:50:22', null],
  ['yesterday', null],
  [1017, null],
  [undefined, null],
];

const ANTENNAS: readonly (readonly [given: unknown, read: number | string])[] = [
  [3, 3],
  ['3', 3],
  [65_535, 65_535],
  [0, '0'],
  [-1, '-1'],
  [65_536, '65536'],
  ['AH0', 'AH0'],
  ['yard-left', 'yard-left'],
  [[2, 3], '[2,3]'],
  [undefined, 1],
];

const STRENGTHS: readonly (readonly [given: unknown, read: number | null])[] = [
  [-61, -61],
  ['-61', -61],
  [0, null],
  [127, null],
  [202, null],
  [-200, null],
  ['n/a', null],
  [undefined, null],
];

describe('every built-in format', () => {
  const formats = loadBuiltinFormats();

  it('has a device here', () => {
    expect(Object.keys(DEVICES).sort()).to.deep.equal([...formats.keys()].sort());
  });

  for (const [name, { topic = 'site/device', hasAntenna, write }] of Object.entries(DEVICES)) {
    it(`${name}: reads every notation of times, antennas and strengths, and says what it cannot use`, () => {
      const format = formats.get(name);
      if (format === undefined) {
        throw new Error(`no format ${name}`);
      }
      for (const [time, observedAt] of TIMES) {
        for (const [antenna, place] of ANTENNAS) {
          for (const [rssi, strength] of STRENGTHS) {
            const text = JSON.stringify(write({ time, antenna, rssi }));
            const { scans, rejected, ignored } = dryRun(format, { topic, payload: Buffer.from(text) });
            expect([scans.length, rejected, ignored], text).to.deep.equal([1, [], []]);
            const [scan] = scans;
            expect(scan?.observed_at, text).to.equal(observedAt);
            expect(scan?.antenna, text).to.equal(hasAntenna ? place : 1);
            expect(scan?.rssi, text).to.equal(strength);
            const isNamed = scan?.time_unreadable !== undefined || scan?.clock_unset !== undefined;
            expect(isNamed, text).to.equal(time !== undefined && observedAt === null);
            expect(scan?.rssi_unusable !== undefined, text).to.equal(rssi !== undefined && strength === null);
          }
        }
      }
    });
  }
});
