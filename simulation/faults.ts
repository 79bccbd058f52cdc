import { MICROS_PER_SECOND, type Micros } from '../base/instant.ts';
import { ENCODERS } from './encoders/encoders.ts';
import type { SiteReader } from './site.ts';

/** What can go wrong at a site. */
export const FAULTS = [
  'dead-reader',
  'wrong-clock',
  'outage',
  'strangers',
  'flapping',
  'late',
  'duplicates',
  'poison',
] as const;

export type Fault = (typeof FAULTS)[number];

/** What is wrong with one reader. */
export interface Trouble {
  /** How far its clock is ahead; negative if behind. */
  clockOffset: Micros;
  /** When it loses its network and gets it back, after the beginning of the run. */
  outage: { from: Micros; to: Micros } | null;
  /** When it falls silent for good, after the beginning of the run. */
  deathAt: Micros | null;
}

export interface FaultPlan {
  faults: ReadonlySet<Fault>;
  /** How long the run takes; null if it has no end. */
  duration: Micros | null;
  /** Whether the site's time is the real one. Where it runs faster, no clock is ahead of the real one. */
  isRealTime: boolean;
}

/**
 * Which reader suffers what. Each has one trouble at the most, so that small sites have fewer troubles than large ones.
 * Only what brings its own times can keep reads for later, or be wrong about the time.
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
    assign('dead-reader', { deathAt: length * 0.7 }, false);
  }
  if (readers.length > 4) {
    assign('wrong-clock', { clockOffset: -2 * HOUR }, true);
  }
  return troubles;
}

const NO_TROUBLE: Trouble = { clockOffset: 0, outage: null, deathAt: null };

const HOUR: Micros = 3_600 * MICROS_PER_SECOND;

/** A run without an end has its troubles in its first three minutes. */
const ENDLESS: Micros = 180 * MICROS_PER_SECOND;
