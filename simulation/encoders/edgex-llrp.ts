import { jsonEncoder } from './encoder.ts';

/** LLRP readers through EdgeX Foundry: EPC in base64, epoch microseconds. */
export const edgexLlrp = jsonEncoder({
  tagType: 'rfid',
  ports: 4,
  clockTick: 1,
  maxReadsPerMessage: 16,
  encode: (_device, reads) => ({
    TagReportData: reads.map(({ value, port, rssi, at }) => ({
      EPC96: { EPC: Buffer.from(value, 'hex').toString('base64') },
      AntennaID: port,
      PeakRSSI: rssi,
      FirstSeenUTC: at,
      LastSeenUTC: null,
    })),
  }),
  heartbeat: () => ({ TagReportData: [] }),
  ignoredOfHeartbeat: 0,
});
