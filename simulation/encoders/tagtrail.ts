import { jsonEncoder } from './encoder.ts';
import { microseconds } from './timestamp.ts';

/** Our own format, as a script or a bridge writes it: several reads in an object, or a single one. */
export const tagtrail = jsonEncoder({
  tagType: 'rfid',
  ports: 4,
  clockTick: 1,
  maxReadsPerMessage: 50,
  encode: (_device, reads) => {
    const all = reads.map(({ value, port, rssi, at }) => ({
      tag_type: 'rfid',
      value,
      antenna: port,
      rssi,
      observed_at: microseconds(at),
    }));
    return all.length === 1 ? all[0] : { reads: all };
  },
  heartbeat: () => ({ reads: [] }),
  ignoredOfHeartbeat: 0,
});
