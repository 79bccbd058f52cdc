import { setTimeout } from 'node:timers/promises';

/**
 * A change of credentials counts from the next request on, in every process, however late a notification is handled:
 *
 * 1. A process asks the database ten times a second, on the connection it listens on, whether it has heard everything.
 *    An answer comes after every notification of what was committed before the question.
 * 2. What it keeps it trusts for {@link TRUSTED_MS} after the last question that was answered; then it looks up.
 * 3. Whoever changes a credential answers {@link HEARD_WITHIN_MS} after the commit, which is longer.
 *
 * Waiting only for as long as a notification usually takes (50 ms) let requests in on a busy machine whose token had been
 * revoked. A machine that is too busy for 2. costs look-ups, many in one query.
 *
 * Changes of readers, antennas and formats count in the same way from the next message on.
 */
export const TRUSTED_MS = 400;

/** Timers may be a millisecond early, and clocks not run equally fast. */
export const HEARD_WITHIN_MS = 500;

/** Milliseconds for which a credential may be acted on after it was found good, without looking again. */
export const GOOD_FOR_MS = HEARD_WITHIN_MS - TRUSTED_MS;

/** Milliseconds from one question to the next. */
export const QUESTION_EVERY_MS = 100;

/** Resolves when every process acts on the change that was just committed. */
export async function heardEverywhere(): Promise<void> {
  await setTimeout(HEARD_WITHIN_MS);
}
