import { knownDeviceOf } from '../../../domain/administration/users/sessions/known-devices.ts';
import type { Visitor } from '../serving/visitor.ts';

/**
 * Whoever fails on purpose uses up the attempts of an account from everywhere but the browsers that it has signed in with
 * before. Those have attempts of their own: one that is stolen is good for no more guesses than any. An address would not
 * do for that: behind a proxy it is everybody's, and a phone has another one each day.
 *
 * @throws Problem `rate_limited`.
 */
export async function takeAttempt({ parts, device }: Visitor, email: string): Promise<void> {
  const { signInLimits, people } = parts;
  const account = email.trim().toLowerCase();
  const known = await knownDeviceOf(people, account, device);
  signInLimits.takeOfAccount(known === null ? `account ${account}` : `device ${known} ${account}`);
}
