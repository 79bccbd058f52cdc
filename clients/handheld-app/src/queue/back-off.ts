const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
/** What a server may ask for. It may be mistaken, and the queue is not to wait for days. */
const LONGEST_ASKED_MS = 300_000;

/**
 * How long to wait before the next attempt: doubling, at most a minute, and never the same for two devices, so that a
 * gateway that comes back is not asked by all at once.
 *
 * @param failures in a row so far, from 1.
 * @param random from 0 to 1.
 * @param asked seconds that the server asks to wait, if it does. It asks all devices for the same.
 * @returns milliseconds.
 */
export function backOff(failures: number, random: number, asked: number | null = null): number {
  const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
  const own = Math.round(longest * (0.5 + random / 2));
  return asked === null ? own : Math.max(own, Math.min(LONGEST_ASKED_MS, asked * 1000 + random * FIRST_MS));
}
