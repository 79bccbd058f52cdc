import { jsonEncoder } from './encoder.ts';
import { milliseconds } from './timestamp.ts';

/** Zebra RFD40, a sled in its cradle: one time for the whole message, so here every read has a message of its own. */
export const zebraRfd40 = jsonEncoder({
  tagType: 'rfid',
  ports: 1,
  clockTick: 1_000,
  maxReadsPerMessage: 1,
  encode: (_device, reads) => ({
    timestamp: milliseconds(reads[0]?.at ?? 0).replace('Z', '+0000'),
    data: { tagData: reads.map(({ value, rssi }) => ({ EPCid: value, peakRssi: rssi })) },
  }),
  heartbeat: (_device, at) => ({ timestamp: milliseconds(at).replace('Z', '+0000'), data: {} }),
  ignoredOfHeartbeat: 1,
});
