import { MICROS_PER_SECOND, type Micros } from '../base/instant.ts';

/** Three shifts of eight hours, from 6, 14 and 22 o'clock UTC. */
export type Shift = 0 | 1 | 2;

export const SHIFTS: readonly Shift[] = [0, 1, 2];

const HOUR = 3_600 * MICROS_PER_SECOND;
const FIRST_BEGINS = 6 * HOUR;
const LENGTH = 8 * HOUR;

export function shiftAt(at: Micros): Shift {
  return SHIFTS[Math.floor(((at - FIRST_BEGINS) / LENGTH) % 3)] ?? 0;
}

export function endOfShift(at: Micros): Micros {
  return at + LENGTH - ((at - FIRST_BEGINS) % LENGTH);
}

export function nextStartOf(shift: Shift, at: Micros): Micros {
  let start = endOfShift(at);
  while (shiftAt(start) !== shift) {
    start += LENGTH;
  }
  return start;
}

/** Activity of the site: 1 by day, a little less in the late shift, little at night. */
export function activityAt(at: Micros): number {
  return [1, 0.8, 0.25][shiftAt(at)] ?? 1;
}
