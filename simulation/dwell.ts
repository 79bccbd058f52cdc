import { MICROS_PER_SECOND, type Micros } from '../base/instant.ts';
import type { Role } from './population.ts';
import type { Random } from './random.ts';
import { activityAt } from './shifts.ts';
import type { Stage } from './site.ts';

/** How long an asset stays: mostly near the median, sometimes many times as long, and longer when the site is quiet. */
export function dwell(role: Role, stage: Stage, now: Micros, random: Random): Micros {
  const median = role === 'pallet' ? PALLET_SECONDS[stage] : SECONDS[role];
  const skewed = median * Math.exp(SPREAD * normal(random));
  return Math.round((skewed / activityAt(now)) * MICROS_PER_SECOND);
}

export function travel(random: Random): Micros {
  return random.integer(6 * MICROS_PER_SECOND, 25 * MICROS_PER_SECOND);
}

/** Medians. */
const PALLET_SECONDS: Record<Stage, number> = { receiving: 240, storage: 1_500, packing: 400, shipping: 300 };
const SECONDS: Record<Exclude<Role, 'pallet'>, number> = {
  cage: 900,
  forklift: 40,
  person: 60,
  'in repair': 86_400,
};

const SPREAD = 0.9;

/** Standard normal, after Box and Muller. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.fraction())) * Math.cos(2 * Math.PI * random.fraction());
}
