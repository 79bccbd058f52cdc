import { type Device, jsonEncoder, type TagRead } from './encoder.ts';

/** CSL CS463: a report of many tags, epoch microseconds, RSSI as text. */
export const cslCs463 = jsonEncoder({
  tagType: 'rfid',
  ports: 4,
  clockTick: 1,
  maxReadsPerMessage: 12,
  encode: report,
  heartbeat: (device, _at, sequence) => report(device, [], sequence),
  ignoredOfHeartbeat: 0,
});

function report({ name }: Device, reads: readonly TagRead[], sequence: number) {
  return {
    sequenceNumber: sequence,
    rfidReaderName: name,
    numberOfTags: reads.length,
    tags: reads.map(({ value, port, rssi, at }) => ({
      epc: value,
      timeStampOfRead: at,
      antennaPort: port,
      rssi: String(rssi),
    })),
  };
}
