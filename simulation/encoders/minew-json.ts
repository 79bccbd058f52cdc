import type { Micros } from '../../base/instant.ts';
import { addressOf } from './address.ts';
import { type Device, jsonEncoder } from './encoder.ts';
import { milliseconds } from './timestamp.ts';

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
