/** Minutes before each further attempt; the last goes on, as alerts that wait are no less true. */
const MINUTES = [1, 2, 5, 10, 30, 60];

/** Jitter, so that what failed together is not tried together. */
const JITTER = 0.2;

/** Seconds until the next attempt. @param failures how many have failed, from 1. @param random 0 to 1. */
export function nextAttemptIn(failures: number, random: number): number {
  const minutes = MINUTES[Math.min(failures, MINUTES.length) - 1] ?? 1;
  return minutes * 60 * (1 + JITTER * random);
}
