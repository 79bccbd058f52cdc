import type { Evidence } from '../location/stated-locations.ts';

/** The shortfall of the reads around a scan that proved no location. */
export interface Lack {
  /** `odds`: how many times as likely as `there`. */
  unit: 'dB' | 'reads' | 'odds';
  /** The location that came closest. */
  here: number;
  there: number;
  /** Null: infinite, or unknown. */
  reached: number | null;
  needed: number;
}

/** @returns null if a location is proven; of several locations that are too close to each other, the nearest. */
export function lackOf({ proof, locationId, heard, unit, shares, odds }: Evidence): Lack | null {
  if (proof !== null || locationId === null) {
    return null;
  }
  const second = shares?.[1];
  if (odds !== null && second !== undefined) {
    const { reached, needed } = oddsOf(odds);
    return { unit: 'odds', here: locationId, there: second.locationId, reached, needed };
  }
  const [worst] = heard
    .flatMap(({ locationId: there, margin }) =>
      margin === null || margin.isReached ? [] : [{ there, ...margin }],
    )
    .sort((a, b) => b.needed - b.reached - (a.needed - a.reached));
  return worst === undefined || unit === null
    ? null
    : { unit, here: locationId, there: worst.there, reached: finite(worst.reached), needed: worst.needed };
}

/** As a number of times, not a logarithm. */
export function oddsOf({ reached, needed, reads }: NonNullable<Evidence['odds']>): {
  reached: number | null;
  needed: number;
  /** The number that `needed` depends on: the most reads with RSSI at one antenna on the plan. */
  reads: number;
} {
  return { reached: finite(Math.exp(reached)), needed: Math.exp(needed), reads };
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
