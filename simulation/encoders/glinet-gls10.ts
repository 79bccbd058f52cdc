import { greatestOf } from '../../base/extremes.ts';
import { addressOf } from './address.ts';
import { type Device, jsonEncoder, type TagRead } from './encoder.ts';

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
