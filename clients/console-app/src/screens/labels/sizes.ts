/** Labels on a sheet, in millimetres. `across` and `down` are from one label's edge to the same edge of the next. */
export interface LabelSize {
  page: { width: number; height: number };
  columns: number;
  rows: number;
  width: number;
  height: number;
  left: number;
  top: number;
  across: number;
  down: number;
}

const A4 = { width: 210, height: 297 };

export const SIZES = {
  /** Avery L7159 and alike. */
  'a4-24': {
    ...{ page: A4, columns: 3, rows: 8, width: 63.5, height: 33.9 },
    ...{ left: 7.25, top: 12.9, across: 66, down: 33.9 },
  },
  /** Avery L7163 and alike. */
  'a4-14': {
    ...{ page: A4, columns: 2, rows: 7, width: 99.1, height: 38.1 },
    ...{ left: 4.65, top: 15.15, across: 101.6, down: 38.1 },
  },
  /** Avery 5160 and alike. */
  'letter-30': {
    ...{ page: { width: 215.9, height: 279.4 }, columns: 3, rows: 10, width: 66.675, height: 25.4 },
    ...{ left: 4.76, top: 12.7, across: 69.85, down: 25.4 },
  },
  /** Label printers, one label a page: Brother DK-11209 and alike. */
  'single-62': {
    ...{ page: { width: 62, height: 29 }, columns: 1, rows: 1, width: 62, height: 29 },
    ...{ left: 0, top: 0, across: 62, down: 29 },
  },
} as const satisfies Record<string, LabelSize>;

export type SizeName = keyof typeof SIZES;

export const SIZE_NAMES = Object.keys(SIZES) as SizeName[];

export function perSheet({ columns, rows }: LabelSize): number {
  return columns * rows;
}
