import type { Micros } from '../../base/instant.ts';

/** The values that a tag may measure, each with its valid range. Add new kinds here first. */
export const READING_KINDS = [
  'battery_percent',
  'battery_volts',
  'temperature_c',
  'humidity_percent',
  'button',
  'motion',
] as const;

export type ReadingKind = (typeof READING_KINDS)[number];

export type Readings = Readonly<Partial<Record<ReadingKind, number>>>;

/** What one tag of an asset measured at one instant. */
export interface TagReading {
  orgId: number;
  assetId: number;
  tagId: number;
  observedAt: Micros;
  readings: Readings;
  /** Its scan was stored already, and so it may be, too. */
  isRepeat?: boolean;
}

const RANGES: Readonly<Record<ReadingKind, readonly [least: number, most: number]>> = {
  battery_percent: [0, 100],
  battery_volts: [0, 100],
  temperature_c: [-273.15, 1_000],
  humidity_percent: [0, 100],
  // Presses and movements: 1 or 0, or how many there were.
  button: [0, 4_294_967_295],
  motion: [0, 4_294_967_295],
};

export function rangeOf(kind: ReadingKind): readonly [least: number, most: number] {
  return RANGES[kind];
}

/** A number outside the range is no value: devices write -128, 255 or 65535 where they know nothing. */
export function isReadingValue(kind: ReadingKind, value: number): boolean {
  const [least, most] = RANGES[kind];
  return value >= least && value <= most;
}
