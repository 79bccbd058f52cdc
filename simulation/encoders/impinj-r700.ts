import { MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';
import { jsonEncoder } from './encoder.ts';
import { microseconds } from './timestamp.ts';

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
      timestamp: timestamp(isDetailed ? at + EVENT_DELAY : at),
      eventType: 'tagInventory',
      ...(isDetailed ? { hostname: `impinj-${name}` } : {}),
      tagInventoryEvent: {
        epc: Buffer.from(value, 'hex').toString('base64url'),
        ...(isDetailed ? { epcHex: value, lastSeenTime: timestamp(at) } : {}),
        antennaPort: port,
        peakRssiCdbm: Math.round(rssi * 100),
      },
    }));
    return events.length === 1 ? events[0] : events;
  },
  heartbeat: (_device, at) => ({
    timestamp: timestamp(at),
    eventType: 'inventoryStatus',
    inventoryStatusEvent: { inventoryStatus: 'running' },
  }),
  ignoredOfHeartbeat: 1,
});

const EVENT_DELAY = 2 * MICROS_PER_SECOND;

/** Nanoseconds; the last three digits are finer than what is stored. */
function timestamp(at: Micros): string {
  return microseconds(at).replace('Z', '177Z');
}
