import { greatestOf } from '../../base/extremes.ts';
import { MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';
import {
  addressOf,
  type Device,
  type Encoder,
  jsonEncoder,
  milliseconds,
  type TagRead,
  withColons,
} from './encoder.ts';

/** Minew G1 and MG: an array in which the gateway itself is an element. */
export const minewJson = jsonEncoder({
  tagType: 'ble',
  ports: 1,
  clockTick: 1_000,
  maxReadsPerMessage: 20,
  ignored: 1,
  encode: (device, reads) => [
    gateway(device, reads[0]?.at ?? 0),
    ...reads.map(({ value, rssi, at }) => ({
      timestamp: milliseconds(at),
      type: 'Unknown',
      mac: value,
      rssi,
      rawData: '0201061AFF4C000215E2C56DB5DFFB48D2B060D0F5A71096E000010017C5',
    })),
  ],
  heartbeat: (device, at) => [gateway(device, at)],
  ignoredOfHeartbeat: 1,
});

function gateway({ name }: Device, at: Micros) {
  return { timestamp: milliseconds(at), type: 'Gateway', mac: addressOf(name), gatewayFree: 89 };
}

/** MOKO MKGW: scan reports are messages 3070, with epoch milliseconds; 3004 is its heartbeat. */
export const mokoMkgw = jsonEncoder({
  tagType: 'ble',
  ports: 1,
  clockTick: 1_000,
  maxReadsPerMessage: 10,
  encode: ({ name }, reads) => ({
    msg_id: 3070,
    device_info: { mac: addressOf(name).toLowerCase() },
    data: reads.map(({ value, rssi, at }) => ({
      timestamp: Math.floor(at / 1_000),
      rssi,
      mac: value.toLowerCase(),
      adv_data: '0201061BFF99040500',
    })),
  }),
  heartbeat: ({ name }, at) => ({
    msg_id: 3004,
    device_info: { mac: addressOf(name).toLowerCase() },
    data: { timestamp: Math.floor(at / 1_000), net_status: 1 },
  }),
  ignoredOfHeartbeat: 1,
});

/** MOKO MK107: scan reports are messages 3004, with a date format of their own, to the second. */
export const mokoMk107 = jsonEncoder({
  tagType: 'ble',
  ports: 1,
  clockTick: MICROS_PER_SECOND,
  maxReadsPerMessage: 10,
  encode: ({ name }, reads) => ({
    msg_id: 3004,
    device_info: { device_id: '', mac: addressOf(name) },
    data: reads.map(({ value, rssi, at }) => ({
      type: 1,
      value: { timestamp: timestamp(at), rssi, mac: value, 'raw data': '0201061BFF99040500' },
    })),
  }),
  heartbeat: ({ name }) => ({
    msg_id: 3003,
    device_info: { device_id: '', mac: addressOf(name) },
    data: { net_status: 1 },
  }),
  ignoredOfHeartbeat: 1,
});

/** `2026-6-8&21:43:48+00` */
function timestamp(at: Micros): string {
  const date = new Date(at / 1_000);
  const day = `${date.getUTCFullYear()}-${date.getUTCMonth() + 1}-${date.getUTCDate()}`;
  return `${day}&${date.toISOString().slice(11, 19)}+00`;
}

/** Ingics iGS01 to iGS03: a line per advertisement, every other message wrapped in JSON; epoch seconds. */
export const ingics: Encoder = {
  tagType: 'ble',
  ports: 1,
  clockTick: 1_000,
  maxReadsPerMessage: 20,
  topicFilter: (topic) => topic,
  encode: ({ name, topic }, reads, sequence) => {
    const lines = reads.map((read) => line(addressOf(name), read));
    const payload = sequence % 2 === 0 ? `${lines.join('\r\n')}\r\n` : JSON.stringify({ data: lines });
    return { topic, payload, ignored: 0 };
  },
  heartbeat: ({ name, topic }) => ({
    topic,
    payload: `$HBRP,${addressOf(name)},${addressOf(name)},-127,00000000\r\n`,
    ignored: 1,
  }),
};

function line(gateway: string, { value, rssi, at }: TagRead): string {
  const thousandths = String(Math.floor(at / 1_000) % 1_000).padStart(3, '0');
  const seconds = `${Math.floor(at / MICROS_PER_SECOND)}.${thousandths}`;
  return `$GPRP,${value},${gateway},${rssi},02010612FF0D0083BC200120AAAAFFFF000002070000,${seconds}`;
}

/** Ruuvi Gateway: a message and a topic per tag, epoch seconds as text. */
export const ruuviGateway: Encoder = {
  tagType: 'ble',
  ports: 1,
  clockTick: MICROS_PER_SECOND,
  maxReadsPerMessage: 1,
  topicFilter: (topic) => `${topic}/+`,
  encode: ({ name, topic }, reads) => {
    const { value = '', rssi = 0, at = 0 } = reads[0] ?? {};
    const seconds = Math.floor(at / MICROS_PER_SECOND);
    const payload = JSON.stringify({
      gw_mac: withColons(addressOf(name)),
      rssi,
      aoa: [],
      gwts: String(seconds + 1),
      ts: String(seconds),
      data: '0201061BFF99040500',
      coords: '',
    });
    return { topic: `${topic}/${withColons(value)}`, payload, ignored: 0 };
  },
  heartbeat: ({ topic }) => ({
    topic: `${topic}/gw_status`,
    payload: JSON.stringify({ state: 'online' }),
    ignored: 1,
  }),
};

/** GL.iNet GL-S10: the tags heard since the last message, epoch milliseconds. */
export const glinetGls10 = jsonEncoder({
  tagType: 'ble',
  ports: 1,
  clockTick: 1_000,
  maxReadsPerMessage: 20,
  encode: (device, reads) => report(device, reads, greatestOf(reads.map(({ at }) => at))),
  heartbeat: (device, at) => report(device, [], at),
  ignoredOfHeartbeat: 0,
});

function report({ name }: Device, reads: readonly TagRead[], publishedAt: number) {
  return {
    dev_ble_mac: addressOf(name),
    dev_list: reads.map(({ value, rssi, at }) => ({
      mac: value,
      rssi,
      ts: Math.floor(at / 1_000),
      ad: '09FF4C0010050118A1B2',
    })),
    publish_ts: Math.floor(publishedAt / 1_000),
  };
}

/** OpenMQTTGateway: a message and a topic per tag, without a time. */
export const openmqttgateway: Encoder = {
  tagType: 'ble',
  ports: 1,
  clockTick: null,
  maxReadsPerMessage: 1,
  topicFilter: (topic) => `${topic}/#`,
  encode: ({ topic }, reads) => {
    const { value = '', rssi = 0 } = reads[0] ?? {};
    const payload = JSON.stringify({ id: withColons(value), mac_type: 1, adv_type: 0, rssi });
    return { topic: `${topic}/BTtoMQTT/${value}`, payload, ignored: 0 };
  },
  heartbeat: ({ topic }, at) => ({
    topic: `${topic}/SYStoMQTT`,
    payload: JSON.stringify({ uptime: Math.floor(at / MICROS_PER_SECOND) % 86_400, version: '1.8' }),
    ignored: 1,
  }),
};
