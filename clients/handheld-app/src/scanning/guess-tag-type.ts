import type { TagType } from '../../../../domain/tracking/tag-type.ts';

/**
 * What kind of tag a scanned value most likely is: `rfid` if it looks like an EPC in hex, else `barcode`. An EPC is
 * whole 16-bit words, 64 bits at least. Digits alone are mostly barcodes (an SSCC with its identifier has twenty), but
 * 24 that start as the headers of GS1's 96-bit EPCs do, with 3, are an EPC.
 */
export function guessTagType(value: string): TagType {
  const digits = value.replaceAll(' ', '');
  const isHex = /^[0-9A-Fa-f]+$/.test(digits) && digits.length >= 16 && digits.length % 4 === 0;
  if (!isHex) {
    return 'barcode';
  }
  return /[A-Fa-f]/.test(digits) || (digits.length === 24 && digits.startsWith('3')) ? 'rfid' : 'barcode';
}
