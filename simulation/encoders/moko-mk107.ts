import { MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';
import { addressOf } from './address.ts';
import { jsonEncoder } from './encoder.ts';

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
