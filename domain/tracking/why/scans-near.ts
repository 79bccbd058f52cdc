import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { Seen } from '../smoothing/counting.ts';

/** How far to both sides a picture of what was read goes. */
const REACH: Micros = 60 * MICROS_PER_SECOND;

/** As many reads as a picture can show. */
const MOST = 400;

/** The scans around an instant, oldest first; the nearest of them if they are too many. */
export function scansNear(scans: readonly Seen[], at: Micros): Seen[] {
  return scans
    .filter(({ observedAt }) => Math.abs(observedAt - at) <= REACH)
    .toSorted((a, b) => Math.abs(a.observedAt - at) - Math.abs(b.observedAt - at))
    .slice(0, MOST)
    .toSorted((a, b) => a.observedAt - b.observedAt);
}
