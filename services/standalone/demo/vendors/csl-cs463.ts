import type { TagRead, Vendor } from './vendor.ts';

/** CSL CS463: a report of many tags, epoch microseconds, RSSI as text. */
export const cslCs463: Vendor = {
  clockTick: 1,
  maxReadsPerMessage: 12,
  encode: report,
  heartbeat: (reader, _at, sequence) => report(reader, [], sequence),
};

function report(reader: string, reads: readonly TagRead[], sequence: number): string {
  return JSON.stringify({
    sequenceNumber: sequence,
    rfidReaderName: reader,
    numberOfTags: reads.length,
    tags: reads.map(({ epc, port, rssi, at }) => ({
      epc,
      timeStampOfRead: at,
      antennaPort: port,
      rssi: String(rssi),
    })),
  });
}
