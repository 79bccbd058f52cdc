import { setTimeout } from 'node:timers/promises';

/**
 * Revocation counts from the next request on, in every process, however late a notification arrives:
 *
 * 1. Each process asks the database on its LISTEN connection whether it has received everything: ten times a second while it
 * uses its cache, and at the first use after that.
 * The reply comes after every notification committed before the question.
 * 2. It trusts its cache for {@link TRUSTED_MS} after the last question that was answered; then it looks up.
 * 3. A change of a credential replies {@link HEARD_WITHIN_MS} after the commit, which is longer.
 *
 * Waiting only as long as a notification usually takes (50 ms) let revoked tokens in on a busy machine. A machine too
 * busy for step 2 pays with look-ups, many in one query.
 *
 * Readers, antennas and formats follow the same rule, from the next message on.
 */
export const TRUSTED_MS = 400;

/** Leaves room for early timers and clocks of unequal speed. */
const HEARD_WITHIN_MS = 500;

/** Milliseconds for which a checked credential may be used without another check. */
export const GOOD_FOR_MS = HEARD_WITHIN_MS - TRUSTED_MS;

/** Milliseconds. */
export const QUESTION_EVERY_MS = 100;

/** Resolves when every process acts on the change just committed. */
export async function heardEverywhere(): Promise<void> {
  await setTimeout(HEARD_WITHIN_MS);
}
