const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
/** Cap of `Retry-After`: a server may be mistaken, and the queue must not wait for days. */
const LONGEST_ASKED_MS = 300_000;

/**
 * Exponential back-off with jitter, a minute at most, so that devices do not all return at once.
 *
 * @param failures in a row so far, from 1.
 * @param random from 0 to 1.
 * @param asked the server's `Retry-After` in seconds, which is the same for all devices.
 * @returns milliseconds.
 */
export function backOff(failures: number, random: number, asked: number | null = null): number {
  const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
  const own = Math.round(longest * (0.5 + random / 2));
  return asked === null ? own : Math.max(own, Math.min(LONGEST_ASKED_MS, asked * 1000 + random * FIRST_MS));
}
