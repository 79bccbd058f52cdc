import { addressOf, withColons } from './address.ts';
import { jsonEncoder } from './encoder.ts';

/** Impinj with SmartReader: reports with epoch microseconds; a heartbeat is a pseudo tag. */
export const impinjSmartreader = jsonEncoder({
  tagType: 'rfid',
  ports: 4,
  clockTick: 1,
  maxReadsPerMessage: 16,
  encode: ({ name }, reads) => ({
    readerName: name,
    mac: withColons(addressOf(name)),
    tag_reads: reads.map(({ value, port, rssi, at }) => ({
      epc: value,
      firstSeenTimestamp: at,
      antennaPort: port,
      peakRssi: rssi,
      isHeartBeat: false,
    })),
  }),
  heartbeat: ({ name }, at) => ({
    readerName: name,
    mac: withColons(addressOf(name)),
    tag_reads: [{ epc: '*****', firstSeenTimestamp: at, antennaPort: 0, peakRssi: 0, isHeartBeat: true }],
  }),
  ignoredOfHeartbeat: 1,
});
