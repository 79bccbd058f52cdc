import { setTimeout as pause } from 'node:timers/promises';

/** Beats in a second on a machine that has nothing else to do. */
export const BEATS_PER_SECOND = 20;

/**
 * A clock that goes slower on a busy machine, for promises like "within a second": waits until the condition holds.
 *
 * @param roundTrip done in every beat, by the same programs as what is waited for.
 * @returns in how many beats.
 */
export async function beatsUntil(
  condition: () => boolean,
  roundTrip: () => Promise<unknown>,
): Promise<number> {
  let beats = 0;
  for (; !condition(); beats++) {
    await pause(1_000 / BEATS_PER_SECOND);
    await roundTrip();
  }
  return beats;
}
