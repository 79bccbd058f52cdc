import type { Micros } from '../../../shared/instant.ts';
import type { TagRead, Vendor } from './vendor.ts';

/** Zebra with IoT Connector: events in an array or back to back, lower-case hex, an offset without a colon. */
export const zebraIotc: Vendor = {
  clockTick: 1_000,
  maxReadsPerMessage: 8,
  encode: (_reader, reads, sequence) => {
    const events = reads.map((read, index) => JSON.stringify(event(read, sequence * 100 + index)));
    // Either is met in the field, so every other message is written the other way.
    return sequence % 2 === 0 ? `[${events.join(',')}]` : events.join('');
  },
  heartbeat: (_reader, at) =>
    JSON.stringify({
      type: 'heartbeat',
      timestamp: timestamp(at),
      data: { radio_activity: 'active', radio_connection: 'connected' },
    }),
};

function event({ epc, port, rssi, at }: TagRead, eventNum: number) {
  return {
    data: { eventNum, format: 'epc', idHex: epc.toLowerCase(), antenna: port, peakRssi: rssi },
    timestamp: timestamp(at),
    type: 'INVENTORY',
  };
}

function timestamp(at: Micros): string {
  return new Date(Math.floor(at / 1_000)).toISOString().replace('Z', '+0000');
}
