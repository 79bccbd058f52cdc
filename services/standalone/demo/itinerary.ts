import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { ENCODERS } from '../../../simulation/encoders/encoders.ts';
import { nextStop } from '../../../simulation/movement.ts';
import type { Random } from '../../../simulation/random.ts';
import type { SiteLocation } from '../../../simulation/site.ts';
import type { SiteAsset } from './assets.ts';
import { antennaAt, STOPS } from './site.ts';

/** Where an asset went and when it was read. The truth is derived from this alone. */
export interface Itinerary {
  asset: string;
  /** In order of time; no two overlap. */
  visits: readonly Visit[];
}

export interface Visit {
  location: string;
  enteredAt: Micros;
  leftAt: Micros;
  /** In order of time, between entering and leaving. None if the reader missed the asset. */
  reads: readonly VisitRead[];
}

export interface VisitRead {
  /** As fine as the clock of the reader there. */
  at: Micros;
  /** dBm. */
  rssi: number;
}

export interface Period {
  from: Micros;
  to: Micros;
}

export function makeItinerary(asset: SiteAsset, period: Period, random: Random): Itinerary {
  if (asset.kind === 'in repair') {
    return { asset: asset.key, visits: [] };
  }
  const visits: Visit[] = [];
  let location: SiteLocation | null = null;
  let enteredAt = period.from + seconds(random.integer(0, 1_800));
  while (enteredAt + SHORTEST_VISIT < period.to) {
    location = nextStop(asset.kind, location, STOPS, random);
    const leftAt = Math.min(period.to, enteredAt + SHORTEST_VISIT + seconds(random.integer(60, 1_500)));
    const isMissed = random.chance(0.05);
    const reads = isMissed ? [] : makeReads(location, { from: enteredAt, to: leftAt }, random);
    visits.push({ location: location.key, enteredAt, leftAt, reads });
    enteredAt = leftAt + seconds(random.integer(15, 150));
  }
  return { asset: asset.key, visits };
}

/** The first soon after entering, the others any time before leaving. */
function makeReads(location: SiteLocation, visit: Period, random: Random): VisitRead[] {
  const clockTick = ENCODERS[antennaAt(location.key).reader.format].clockTick ?? 1;
  const first = visit.from + MICROS_PER_SECOND + Math.floor(random.fraction() * seconds(20));
  const others = Array.from({ length: random.integer(1, 5) }, () =>
    Math.floor(first + random.fraction() * (visit.to - first)),
  );
  const times = [first, ...others].map((at) => at - (at % clockTick));
  return [...new Set(times)].sort((a, b) => a - b).map((at) => ({ at, rssi: random.integer(-72, -41) }));
}

const SHORTEST_VISIT = 60 * MICROS_PER_SECOND;

function seconds(count: number): Micros {
  return count * MICROS_PER_SECOND;
}
