import { type ReadingKind, rangeOf } from './reading-kind.ts';

/** Kinds whose value holds until the next one: of how often a button was pressed nothing lasts. */
export const LASTING_KINDS = [
  'temperature_c',
  'humidity_percent',
  'battery_percent',
  'battery_volts',
] as const satisfies readonly ReadingKind[];

export type LastingKind = (typeof LASTING_KINDS)[number];

/** What a rule says about readings; all null of rules that are about anything else. */
export interface Bound {
  reading: LastingKind | null;
  above: number | null;
  below: number | null;
  /** Null: that of the kind of reading. */
  hysteresis: number | null;
}

export const UNBOUND: Bound = { reading: null, above: null, below: null, hysteresis: null };

/** Where a rule says nothing: so that values that waver around a bound are one alert. */
const HYSTERESES: Readonly<Record<LastingKind, number>> = {
  temperature_c: 0.5,
  humidity_percent: 2,
  battery_percent: 5,
  battery_volts: 0.1,
};

/** Where a value is: beyond the bound, back, or between, where all stays as it was. */
export type Side = 'beyond' | 'between' | 'back';

export function sideOf(bound: Bound, value: number): Side {
  const { above, below } = bound;
  const release = releaseOf(bound);
  if (above !== null) {
    return value > above ? 'beyond' : value <= release ? 'back' : 'between';
  }
  return below !== null && value < below ? 'beyond' : value >= release ? 'back' : 'between';
}

/** Values from here on are back; within the range, or what is beyond would stay so for ever. */
export function releaseOf({ reading, above, below, hysteresis }: Bound): number {
  const kind = reading ?? 'temperature_c';
  const [least, most] = rangeOf(kind);
  const by = hysteresis ?? HYSTERESES[kind];
  return above === null ? Math.min(most, (below ?? 0) + by) : Math.max(least, above - by);
}
