import { addressOf } from './address.ts';
import { jsonEncoder } from './encoder.ts';

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
