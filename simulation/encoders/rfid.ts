import { MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';
import {
  addressOf,
  type Device,
  type Encoder,
  jsonEncoder,
  microseconds,
  milliseconds,
  type TagRead,
  withColons,
} from './encoder.ts';

/** Zebra with IoT Connector: events in an array or back to back, lower-case hex, an offset without a colon. */
export const zebraIotc: Encoder = {
  tagType: 'rfid',
  ports: 4,
  clockTick: 1_000,
  maxReadsPerMessage: 8,
  topicFilter: (topic) => topic,
  encode: ({ topic }, reads, sequence) => {
    const events = reads.map((read, index) => JSON.stringify(event(read, sequence * 100 + index)));
    // Either is met in the field, so every other message is written the other way.
    const payload = sequence % 2 === 0 ? `[${events.join(',')}]` : events.join('');
    return { topic, payload, ignored: 0 };
  },
  heartbeat: ({ topic }, at) => ({
    topic,
    payload: JSON.stringify({
      type: 'heartbeat',
      timestamp: timestamp(at),
      data: { radio_activity: 'active', radio_connection: 'connected' },
    }),
    ignored: 1,
  }),
};

function event({ value, port, rssi, at }: TagRead, eventNum: number) {
  return {
    data: { eventNum, format: 'epc', idHex: value.toLowerCase(), antenna: port, peakRssi: rssi },
    timestamp: timestamp(at),
    type: 'INVENTORY',
  };
}

function timestamp(at: Micros): string {
  return milliseconds(at).replace('Z', '+0000');
}

/** Zebra RFD40, a sled in its cradle: one time for the whole message, so here every read has a message of its own. */
export const zebraRfd40 = jsonEncoder({
  tagType: 'rfid',
  ports: 1,
  clockTick: 1_000,
  maxReadsPerMessage: 1,
  encode: (_device, reads) => ({
    timestamp: milliseconds(reads[0]?.at ?? 0).replace('Z', '+0000'),
    data: { tagData: reads.map(({ value, rssi }) => ({ EPCid: value, peakRssi: rssi })) },
  }),
  heartbeat: (_device, at) => ({ timestamp: milliseconds(at).replace('Z', '+0000'), data: {} }),
  ignoredOfHeartbeat: 1,
});

/**
 * Impinj R700 over MQTT: one event a message, EPC in base64url, hundredths of a dBm, nanoseconds. Every other message
 * is that of a reader with hex EPCs and last-seen times switched on; its event is slightly newer.
 */
export const impinjR700 = jsonEncoder({
  tagType: 'rfid',
  ports: 4,
  clockTick: 1,
  maxReadsPerMessage: 1,
  encode: ({ name }, reads, sequence) => {
    const isDetailed = sequence % 2 === 1;
    const events = reads.map(({ value, port, rssi, at }) => ({
      timestamp: nanoseconds(isDetailed ? at + EVENT_DELAY : at),
      eventType: 'tagInventory',
      ...(isDetailed ? { hostname: `impinj-${name}` } : {}),
      tagInventoryEvent: {
        epc: Buffer.from(value, 'hex').toString('base64url'),
        ...(isDetailed ? { epcHex: value, lastSeenTime: nanoseconds(at) } : {}),
        antennaPort: port,
        peakRssiCdbm: Math.round(rssi * 100),
      },
    }));
    return events.length === 1 ? events[0] : events;
  },
  heartbeat: (_device, at) => ({
    timestamp: nanoseconds(at),
    eventType: 'inventoryStatus',
    inventoryStatusEvent: { inventoryStatus: 'running' },
  }),
  ignoredOfHeartbeat: 1,
});

const EVENT_DELAY = 2 * MICROS_PER_SECOND;

/** Nanoseconds; the last three digits are finer than what is stored. */
function nanoseconds(at: Micros): string {
  return microseconds(at).replace('Z', '177Z');
}

/** Impinj with SmartReader: reports with epoch microseconds; a heartbeat is a pseudo tag. */
export const impinjSmartreader = jsonEncoder({
  tagType: 'rfid',
  ports: 4,
  clockTick: 1,
  maxReadsPerMessage: 16,
  encode: ({ name }, reads) => ({
    readerName: name,
    mac: withColons(addressOf(name)),
    tag_reads: reads.map(({ value, port, rssi, at }) => ({
      epc: value,
      firstSeenTimestamp: at,
      antennaPort: port,
      peakRssi: rssi,
      isHeartBeat: false,
    })),
  }),
  heartbeat: ({ name }, at) => ({
    readerName: name,
    mac: withColons(addressOf(name)),
    tag_reads: [{ epc: '*****', firstSeenTimestamp: at, antennaPort: 0, peakRssi: 0, isHeartBeat: true }],
  }),
  ignoredOfHeartbeat: 1,
});

/** Impinj Speedway with Speedway Connect: a flat object per read. */
export const impinjSpeedwayConnect = jsonEncoder({
  tagType: 'rfid',
  ports: 4,
  clockTick: 1,
  maxReadsPerMessage: 1,
  encode: ({ name }, reads) => {
    const { value = '', port = 1, rssi = 0, at = 0 } = reads[0] ?? {};
    return {
      readerName: name,
      epc: value,
      firstSeenTimestamp: microseconds(at),
      antennaPort: port,
      peakRssi: rssi,
    };
  },
  heartbeat: ({ name }, at) => ({
    readerName: name,
    epc: '*****',
    firstSeenTimestamp: microseconds(at),
    antennaPort: 0,
    peakRssi: 0,
  }),
  ignoredOfHeartbeat: 1,
});

/** CSL CS463: a report of many tags, epoch microseconds, RSSI as text. */
export const cslCs463 = jsonEncoder({
  tagType: 'rfid',
  ports: 4,
  clockTick: 1,
  maxReadsPerMessage: 12,
  encode: report,
  heartbeat: (device, _at, sequence) => report(device, [], sequence),
  ignoredOfHeartbeat: 0,
});

function report({ name }: Device, reads: readonly TagRead[], sequence: number) {
  return {
    sequenceNumber: sequence,
    rfidReaderName: name,
    numberOfTags: reads.length,
    tags: reads.map(({ value, port, rssi, at }) => ({
      epc: value,
      timeStampOfRead: at,
      antennaPort: port,
      rssi: String(rssi),
    })),
  };
}

/** Keonn with AdvanNet: reads with epoch milliseconds as text. */
export const keonnAdvannet = jsonEncoder({
  tagType: 'rfid',
  ports: 4,
  clockTick: 1_000,
  maxReadsPerMessage: 16,
  encode: ({ name }, reads) => ({
    devid: name,
    reads: reads.map(({ value, port, rssi, at }) => ({
      epc: value.toLowerCase(),
      rssi,
      ts: String(Math.floor(at / 1_000)),
      antenna: port,
    })),
  }),
  heartbeat: ({ name }) => ({ devid: name, reads: [] }),
  ignoredOfHeartbeat: 0,
});

/** LLRP readers through EdgeX Foundry: EPC in base64, epoch microseconds. */
export const edgexLlrp = jsonEncoder({
  tagType: 'rfid',
  ports: 4,
  clockTick: 1,
  maxReadsPerMessage: 16,
  encode: (_device, reads) => ({
    TagReportData: reads.map(({ value, port, rssi, at }) => ({
      EPC96: { EPC: Buffer.from(value, 'hex').toString('base64') },
      AntennaID: port,
      PeakRSSI: rssi,
      FirstSeenUTC: at,
      LastSeenUTC: null,
    })),
  }),
  heartbeat: () => ({ TagReportData: [] }),
  ignoredOfHeartbeat: 0,
});

/** Our own format, as a script or a bridge writes it: several reads in an object, or a single one. */
export const tagtrail = jsonEncoder({
  tagType: 'rfid',
  ports: 4,
  clockTick: 1,
  maxReadsPerMessage: 50,
  encode: (_device, reads) => {
    const all = reads.map(({ value, port, rssi, at }) => ({
      tag_type: 'rfid',
      value,
      antenna: port,
      rssi,
      observed_at: microseconds(at),
    }));
    return all.length === 1 ? all[0] : { reads: all };
  },
  heartbeat: () => ({ reads: [] }),
  ignoredOfHeartbeat: 0,
});
