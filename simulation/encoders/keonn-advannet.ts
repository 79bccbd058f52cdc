import { jsonEncoder } from './encoder.ts';

/** Keonn with AdvanNet: reads with epoch milliseconds as text. */
export const keonnAdvannet = jsonEncoder({
  tagType: 'rfid',
  ports: 4,
  clockTick: 1_000,
  maxReadsPerMessage: 16,
  encode: ({ name }, reads) => ({
    devid: name,
    reads: reads.map(({ value, port, rssi, at }) => ({
      epc: value.toLowerCase(),
      rssi,
      ts: String(Math.floor(at / 1_000)),
      antenna: port,
    })),
  }),
  heartbeat: ({ name }) => ({ devid: name, reads: [] }),
  ignoredOfHeartbeat: 0,
});
