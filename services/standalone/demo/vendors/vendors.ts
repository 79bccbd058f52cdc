import { cslCs463 } from './csl-cs463.ts';
import { impinjR700 } from './impinj-r700.ts';
import type { Vendor } from './vendor.ts';
import { zebraIotc } from './zebra-iotc.ts';

/** By the name of the format that reads their messages. */
export const VENDORS = {
  'csl-cs463': cslCs463,
  'zebra-iotc': zebraIotc,
  'impinj-r700': impinjR700,
} satisfies Record<string, Vendor>;

export type VendorName = keyof typeof VENDORS;
