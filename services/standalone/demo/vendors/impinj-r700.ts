import { MICROS_PER_SECOND, type Micros } from '../../../shared/instant.ts';
import type { Vendor } from './vendor.ts';

/**
 * Impinj R700 over MQTT: one event a message, EPC in base64url, hundredths of a dBm, nanoseconds. Every other message
 * is that of a reader on which hex EPCs and the time last seen were switched on; its event is a little younger.
 */
export const impinjR700: Vendor = {
  clockTick: 1,
  maxReadsPerMessage: 1,
  encode: (reader, reads, sequence) => {
    const events = reads.map(({ epc, port, rssi, at }) => {
      const isDetailed = sequence % 2 === 1;
      return {
        timestamp: timestamp(isDetailed ? at + EVENT_DELAY : at),
        eventType: 'tagInventory',
        ...(isDetailed ? { hostname: `impinj-${reader}` } : {}),
        tagInventoryEvent: {
          epc: Buffer.from(epc, 'hex').toString('base64url'),
          ...(isDetailed ? { epcHex: epc, lastSeenTime: timestamp(at) } : {}),
          antennaPort: port,
          peakRssiCdbm: Math.round(rssi * 100),
        },
      };
    });
    return JSON.stringify(events.length === 1 ? events[0] : events);
  },
  heartbeat: (_reader, at) =>
    JSON.stringify({
      timestamp: timestamp(at),
      eventType: 'inventoryStatus',
      inventoryStatusEvent: { inventoryStatus: 'running' },
    }),
};

const EVENT_DELAY = 2 * MICROS_PER_SECOND;

/** With nanoseconds, of which the last three digits are finer than anything that is kept. */
function timestamp(at: Micros): string {
  const seconds = new Date(Math.floor(at / 1_000)).toISOString().slice(0, 19);
  return `${seconds}.${String(at % MICROS_PER_SECOND).padStart(6, '0')}177Z`;
}
