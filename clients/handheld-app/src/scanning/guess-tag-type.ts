import type { TagType } from '../../../../domain/tracking/tag-type.ts';

/**
 * Guesses `rfid` for what looks like an EPC in hex, else `barcode`. An EPC is whole 16-bit words, at least 64 bits.
 * Digits alone are mostly barcodes (an SSCC with its identifier has twenty), but 24 digits starting with 3, as the
 * headers of GS1's 96-bit EPCs do, are an EPC.
 */
export function guessTagType(value: string): TagType {
  const digits = value.replaceAll(' ', '');
  const isHex = /^[0-9A-Fa-f]+$/.test(digits) && digits.length >= 16 && digits.length % 4 === 0;
  if (!isHex) {
    return 'barcode';
  }
  return /[A-Fa-f]/.test(digits) || (digits.length === 24 && digits.startsWith('3')) ? 'rfid' : 'barcode';
}
