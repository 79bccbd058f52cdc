import { MICROS_PER_SECOND } from '../../base/instant.ts';
import { addressOf, withColons } from './address.ts';
import type { Encoder } from './encoder.ts';

/** Ruuvi Gateway: a message per tag on a topic of its own, epoch seconds as text. */
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
