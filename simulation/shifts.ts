import { MICROS_PER_SECOND, type Micros } from '../base/instant.ts';

/** A day has three shifts of eight hours, from six, fourteen and twenty-two o'clock UTC. */
export type Shift = 0 | 1 | 2;

export const SHIFTS: readonly Shift[] = [0, 1, 2];

const HOUR = 3_600 * MICROS_PER_SECOND;
const FIRST_BEGINS = 6 * HOUR;
const LENGTH = 8 * HOUR;

export function shiftAt(at: Micros): Shift {
  return SHIFTS[Math.floor(((at - FIRST_BEGINS) / LENGTH) % 3)] ?? 0;
}

/** When the shift that is on at `at` ends. */
export function endOfShift(at: Micros): Micros {
  return at + LENGTH - ((at - FIRST_BEGINS) % LENGTH);
}

/** When `shift` begins next after `at`. */
export function nextStartOf(shift: Shift, at: Micros): Micros {
  let start = endOfShift(at);
  while (shiftAt(start) !== shift) {
    start += LENGTH;
  }
  return start;
}

/** How busy the site is: 1 by day, a little less in the late shift, little at night. */
export function activityAt(at: Micros): number {
  return [1, 0.8, 0.25][shiftAt(at)] ?? 1;
}
