import { MICROS_PER_MILLISECOND, MICROS_PER_SECOND, type Micros } from './instant.ts';

/** Microseconds. Passed in where order or time matters, so that tests control it. */
export type Clock = () => Micros;

/**
 * The machine's clock, never the same instant twice: two messages of one millisecond without times of their own stay
 * two. It follows the machine's clock backwards where that jumps by more than a second.
 */
export function createClock(milliseconds: () => number = Date.now): Clock {
  let last = 0;
  return () => {
    const now = milliseconds() * MICROS_PER_MILLISECOND;
    last = now > last || now < last - MICROS_PER_SECOND ? now : last + 1;
    return last;
  };
}
