import { MICROS_PER_SECOND } from '../../base/instant.ts';
import { withColons } from './address.ts';
import type { Encoder } from './encoder.ts';

/** OpenMQTTGateway: a message per tag on a topic of its own, without a time. */
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
