import { upcA } from '../../../../domain/identity/barcode-key.ts';

/** A code by the name that a decoder has for its kind: UPC-E as the UPC-A that it is short for, as other scanners give it. */
export function codeOf(text: string, format = ''): string {
  return /^upc[-_]?e$/i.test(format) ? (upcA(text) ?? text) : text;
}
