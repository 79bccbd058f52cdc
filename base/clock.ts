import { MICROS_PER_MILLISECOND, MICROS_PER_SECOND, type Micros } from './instant.ts';

/** Tells the time in microseconds. Handed in where order or time matters, so that tests can own it. */
export type Clock = () => Micros;

/**
 * The machine's clock, never the same instant twice: two messages that arrive within a millisecond and bring no time
 * of their own are two. It follows the machine's clock also backwards, where that jumps by more than a second.
 */
export function createClock(milliseconds: () => number = Date.now): Clock {
  let last = 0;
  return () => {
    const now = milliseconds() * MICROS_PER_MILLISECOND;
    last = now > last || now < last - MICROS_PER_SECOND ? now : last + 1;
    return last;
  };
}
