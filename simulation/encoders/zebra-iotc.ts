import type { Micros } from '../../base/instant.ts';
import type { Encoder, TagRead } from './encoder.ts';
import { milliseconds } from './timestamp.ts';

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
