import { barcodePath, type CodePath, qrPath } from './code-paths.ts';
import type { LabelSize } from './sizes.ts';

export const CODES = ['both', 'qr', 'barcode'] as const;

export type Codes = (typeof CODES)[number];

/** Millimetres: around what is printed, and of the narrowest bar that office printers and scanners manage. */
export const MARGIN = 2;
const NARROWEST = 0.19;

export interface LabelLayout {
  qr: CodePath | null;
  barcode: CodePath | null;
  /** A barcode was asked for, and would be too narrow to be read, or cannot have these characters. */
  isWithoutBarcode: boolean;
}

/** What a label holds: where a barcode does not fit, a QR code stands for it. */
export function layOut(value: string, { width }: LabelSize, codes: Codes): LabelLayout {
  const wanted = codes === 'qr' ? null : barcodePath(value);
  const barcode = wanted !== null && (width - MARGIN) / wanted.width >= NARROWEST ? wanted : null;
  const isWithoutBarcode = codes !== 'qr' && barcode === null;
  return { barcode, isWithoutBarcode, qr: codes !== 'barcode' || isWithoutBarcode ? qrPath(value) : null };
}
