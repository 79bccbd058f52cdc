import { jsonEncoder } from './encoder.ts';
import { microseconds } from './timestamp.ts';

/** Impinj Speedway with Speedway Connect: a flat object per read. */
export const impinjSpeedwayConnect = jsonEncoder({
  tagType: 'rfid',
  ports: 4,
  clockTick: 1,
  maxReadsPerMessage: 1,
  encode: ({ name }, reads) => {
    const { value = '', port = 1, rssi = 0, at = 0 } = reads[0] ?? {};
    return {
      readerName: name,
      epc: value,
      firstSeenTimestamp: microseconds(at),
      antennaPort: port,
      peakRssi: rssi,
    };
  },
  heartbeat: ({ name }, at) => ({
    readerName: name,
    epc: '*****',
    firstSeenTimestamp: microseconds(at),
    antennaPort: 0,
    peakRssi: 0,
  }),
  ignoredOfHeartbeat: 1,
});
