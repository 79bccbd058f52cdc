const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;

/**
 * How long to wait before the next attempt: doubling, at most a minute, and never the same for two devices, so that a
 * gateway that comes back is not asked by all at once.
 *
 * @param failures in a row so far, from 1.
 * @param random from 0 to 1.
 * @returns milliseconds.
 */
export function backOff(failures: number, random: number): number {
  const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
  return Math.round(longest * (0.5 + random / 2));
}
