import { MICROS_PER_SECOND, type Micros } from '../base/instant.ts';
import { ENCODERS } from './encoders/encoders.ts';
import type { SiteReader } from './site.ts';

export const FAULTS = [
  'dead-reader',
  'wrong-clock',
  'outage',
  'strangers',
  'flapping',
  'late',
  'duplicates',
  'poison',
  'flaky-reader',
  'theft',
  'night',
] as const;

export type Fault = (typeof FAULTS)[number];

export interface Trouble {
  /** How far its clock is ahead; negative if behind. */
  clockOffset: Micros;
  /** Network outage, after the start of the run. */
  outage: Elapsed | null;
  /** When it falls silent for good, after the start of the run. */
  deathAt: Micros | null;
  /** When it reads and says nothing, though connected, after the start of the run. */
  silences: readonly Elapsed[];
}

/** Since the start of the run. */
export interface Elapsed {
  from: Micros;
  to: Micros;
}

export interface FaultPlan {
  faults: ReadonlySet<Fault>;
  duration: Micros | null;
  /** False if the site's time is faster: then no clock is ahead of the real one. */
  isRealTime: boolean;
}

/**
 * Assigns faults, at most one per reader, so that small sites have fewer than large ones. Only readers with times of
 * their own can keep reads for later, or have a wrong clock.
 */
export function assignTroubles(
  readers: readonly SiteReader[],
  { faults, duration, isRealTime }: FaultPlan,
): Map<SiteReader, Trouble> {
  const troubles = new Map(readers.map((reader) => [reader, NO_TROUBLE]));
  const assign = (fault: Fault, trouble: Partial<Trouble>, mustHaveClock: boolean) => {
    const reader = readers.find(
      (each) =>
        troubles.get(each) === NO_TROUBLE && (!mustHaveClock || ENCODERS[each.format].clockTick !== null),
    );
    if (faults.has(fault) && reader !== undefined) {
      troubles.set(reader, { ...NO_TROUBLE, ...trouble });
    }
  };
  const length = duration ?? ENDLESS;
  assign('outage', { outage: { from: length * 0.35, to: length * 0.65 } }, true);
  assign('wrong-clock', { clockOffset: isRealTime ? 3 * HOUR : -2 * HOUR }, true);
  if (readers.length > 2) {
    assign('dead-reader', { deathAt: length * 0.4 }, false);
    assign(
      'flaky-reader',
      { silences: FLAKY.map(([from, to]) => ({ from: length * from, to: length * to })) },
      false,
    );
  }
  if (readers.length > 4) {
    assign('wrong-clock', { clockOffset: -2 * HOUR }, true);
  }
  return troubles;
}

/** Nothing moves and nothing passes then. Null for a site without that fault. */
export function nightOf({ faults, duration }: Omit<FaultPlan, 'isRealTime'>): Elapsed | null {
  const length = duration ?? ENDLESS;
  return faults.has('night') ? { from: length * 0.55, to: length * 0.85 } : null;
}

/** When something is taken away; after the start of the run, in order. */
export function theftsOf(assets: number, { faults, duration }: Omit<FaultPlan, 'isRealTime'>): Micros[] {
  const count = faults.has('theft') ? Math.max(1, Math.round(assets / 25)) : 0;
  const [first, last] = [0.15, 0.5].map((share) => (duration ?? ENDLESS) * share) as [Micros, Micros];
  return Array.from({ length: count }, (_, index) => first + ((last - first) * index) / count);
}

export const NO_TROUBLE: Trouble = { clockOffset: 0, outage: null, deathAt: null, silences: [] };

/** Shares of the run. */
const FLAKY = [
  [0.1, 0.25],
  [0.45, 0.6],
  [0.7, 0.8],
] as const;

const HOUR: Micros = 3_600 * MICROS_PER_SECOND;

/** A run without end has its faults in the first three minutes. */
const ENDLESS: Micros = 180 * MICROS_PER_SECOND;
