import { LongNumber } from '../values/long-number.ts';

/** MessagePack timestamp to epoch seconds; null unless it has one of the three valid sizes. */
export function msgpackTimestamp(bytes: Buffer): number | LongNumber | null {
  switch (bytes.length) {
    case 4:
      return bytes.readUInt32BE();
    case 8: {
      const both = bytes.readBigUInt64BE();
      return seconds(both & 0x3_ffff_ffffn, both >> 34n);
    }
    case 12:
      return seconds(bytes.readBigInt64BE(4), BigInt(bytes.readUInt32BE()));
    default:
      return null;
  }
}

function seconds(whole: bigint, nanos: bigint): LongNumber {
  return new LongNumber(`${whole}.${String(nanos).padStart(9, '0')}`);
}
