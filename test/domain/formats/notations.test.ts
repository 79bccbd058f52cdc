import { encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { dryRun } from '../../../domain/formats/dry-run.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { encodeProtobuf } from '../../support/protobuf.ts';

/** What a message says beside the tag; undefined for what it leaves out. */
interface Said {
  time?: unknown;
  antenna?: unknown;
  rssi?: unknown;
}

interface Device {
  topic?: string;
  /** False for devices whose messages have no place for an antenna, or always name the same. */
  hasAntenna: boolean;
  antenna?: string;
  hasTime?: false;
  hasRssi?: false;
  /** Bytes, or JSON; undefined for what the device has no way to say. */
  write(said: Said): unknown;
  /** The same in bytes, if the device has two ways to say it. */
  also?(said: Said): Buffer | undefined;
}

const EPC = 'E28011606000020A6681FA3E';
const BASE64 = Buffer.from(EPC, 'hex').toString('base64');
const MAC = 'C30000250001';

/** Hundredths of a dBm, where a strength is a number. */
function hundredths(rssi: unknown): unknown {
  return typeof rssi === 'number' ? 100 * rssi : rssi === '-61' ? '-6100' : rssi;
}

/** In protobuf, by the fields of the format; undefined if a number or text is to be in a field of the other kind. */
function protobuf(
  name: string,
  value: object,
  said: { whole?: unknown; text?: unknown },
): Buffer | undefined {
  const [decoding] = [FORMATS.get(name)?.definition.decode ?? []].flat();
  const { whole = 0, text = '' } = said;
  return typeof decoding === 'object' && Number.isSafeInteger(whole) && typeof text === 'string'
    ? encodeProtobuf(decoding.protobuf, value)
    : undefined;
}

const FORMATS = loadBuiltinFormats();

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
  'ruuvi-http': {
    hasAntenna: false,
    write: ({ time, rssi }) => ({ data: { tags: { [MAC]: { rssi, timestamp: time } } } }),
  },
  espresense: {
    topic: `espresense/devices/${MAC}/hall`,
    ...{ hasAntenna: false, antenna: 'hall', hasTime: false },
    write: ({ rssi }) => ({ mac: MAC, rssi }),
  },
  'shelly-blu': {
    hasAntenna: false,
    write: ({ time, rssi }) => ({
      method: 'NotifyEvent',
      params: { events: [{ event: 'ble.scan_result', data: [2, [[MAC, rssi ?? null, '', '']]], ts: time }] },
    }),
  },
  cassia: {
    hasAntenna: false,
    write: ({ time, rssi }) => ({ action: 'scan_data', timestamp: time, data: [{ device_mac: MAC, rssi }] }),
  },
  'kontakt-io': {
    hasAntenna: true,
    write: ({ time, antenna, rssi }) =>
      antenna === undefined ? undefined : { trackingId: MAC, sourceId: antenna, rssi, timestamp: time },
  },
  'aruba-iot': {
    hasAntenna: true,
    write: ({ time, antenna, rssi }) => ({
      reporter: { name: antenna },
      reported: [{ mac: MAC, lastSeen: time, rssi: { last: rssi } }],
    }),
    also: ({ time, antenna, rssi }) =>
      rssi === 'n/a'
        ? undefined
        : protobuf(
            'aruba-iot',
            { reporter: { name: antenna }, reported: [{ mac: MAC, lastSeen: time, rssi: { last: rssi } }] },
            { whole: time, text: antenna },
          ),
  },
  chirpstack: {
    hasAntenna: true,
    write: ({ time, antenna, rssi }) => ({
      deviceInfo: { devEui: EPC },
      rxInfo: [{ gatewayId: antenna, gwTime: time, rssi }],
    }),
  },
  'the-things-stack': {
    hasAntenna: true,
    write: ({ time, antenna, rssi }) => ({
      end_device_ids: { dev_eui: EPC },
      uplink_message: { rx_metadata: [{ gateway_ids: { gateway_id: antenna }, time, rssi }] },
    }),
  },
  wirepas: {
    ...{ hasAntenna: false, antenna: 'gw1/sink0', hasRssi: false },
    write: ({ time }) => {
      const header = { gw_id: 'gw1', sink_id: 'sink0' };
      const packet = { header, source_address: 4_027_431, rx_time_ms_epoch: time };
      return protobuf('wirepas', { wirepas: { packet } }, { whole: time });
    },
  },
  'april-brother': {
    ...{ hasAntenna: false, hasTime: false },
    write: ({ rssi }) =>
      typeof rssi === 'number' && rssi >= -128 && rssi < 128
        ? Buffer.from(encode({ devices: [Buffer.from([0, ...Buffer.from(MAC, 'hex'), rssi & 0xff])] }))
        : undefined,
  },
  'sick-rfu': {
    ...{ hasAntenna: false, antenna: 'mask 1', hasTime: false },
    write: ({ rssi }) => ({ Tags: [{ EPC: [...Buffer.from(EPC, 'hex')], RSSIs: [rssi], AntennaMask: 1 }] }),
  },
  epcis: {
    ...{ hasAntenna: true, hasRssi: false },
    write: ({ time, antenna }) => ({ epcList: [EPC], eventTime: time, readPoint: { id: antenna } }),
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

const NOTHING = [undefined, null] as const;

function payloadsOf(device: Device, said: Said): Buffer[] {
  const written = [device.write(said), device.also?.(said)].filter((payload) => payload !== undefined);
  return written.map((payload) =>
    Buffer.isBuffer(payload) ? payload : Buffer.from(JSON.stringify(payload)),
  );
}

describe('every built-in format', () => {
  it('has a device here', () => {
    expect(Object.keys(DEVICES).sort()).to.deep.equal([...FORMATS.keys()].sort());
  });

  for (const [name, device] of Object.entries(DEVICES)) {
    it(`${name}: reads every notation of times, antennas and strengths, and says what it cannot use`, () => {
      const format = FORMATS.get(name);
      if (format === undefined) {
        throw new Error(`no format ${name}`);
      }
      const { topic = 'site/device', hasAntenna } = device;
      let tried = 0;
      for (const [time, observedAt] of device.hasTime === false ? [NOTHING] : TIMES) {
        for (const [antenna, place] of hasAntenna ? ANTENNAS : [NOTHING]) {
          for (const [rssi, strength] of device.hasRssi === false ? [NOTHING] : STRENGTHS) {
            for (const payload of payloadsOf(device, { time, antenna, rssi })) {
              const text = `${payload}`;
              const { scans, rejected, ignored } = dryRun(format, { topic, payload });
              tried += 1;
              expect([scans.length, rejected, ignored], text).to.deep.equal([1, [], []]);
              const [scan] = scans;
              expect(scan?.observed_at, text).to.equal(observedAt);
              expect(scan?.antenna, text).to.equal(hasAntenna ? place : (device.antenna ?? 1));
              expect(scan?.rssi, text).to.equal(strength);
              const isNamed = scan?.time_unreadable !== undefined || scan?.clock_unset !== undefined;
              expect(isNamed, text).to.equal(time !== undefined && observedAt === null);
              expect(scan?.rssi_unusable !== undefined, text).to.equal(
                rssi !== undefined && strength === null,
              );
            }
          }
        }
      }
      expect(tried).to.be.above(0);
    });
  }
});
