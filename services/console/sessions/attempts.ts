import { knownDeviceOf } from '../../../domain/administration/users/sessions/known-devices.ts';
import type { Visitor } from '../serving/visitor.ts';

/**
 * Failures on purpose use up the attempts of an account and of an address, but not those of browsers that the account has
 * signed in with before. Each of these has attempts of its own; a stolen one allows no more guesses than any other. An address
 * is no substitute: behind a proxy everybody may share it, and a phone gets another one each day.
 *
 * @returns whose turn it is to have a password computed.
 * @throws Problem `rate_limited`.
 */
export async function takeAttempt(visitor: Visitor, email: string): Promise<string> {
  const { parts, address } = visitor;
  const account = email.trim().toLowerCase();
  const known = await knownDevice(visitor, account);
  if (known !== null) {
    parts.signInLimits.takeOfAccount(`device ${known} ${account}`);
    return `device ${known}`;
  }
  parts.signInLimits.takeOfAddress(address);
  parts.signInLimits.takeOfAccount(`account ${account}`);
  return address;
}

/**
 * The password given for an invitation is an existing user's, so the authors of invitations get a bounded number of
 * guesses at an account, however many invitations they make.
 *
 * @throws Problem `rate_limited`.
 */
export async function takeAttemptByLink(visitor: Visitor, email: string): Promise<void> {
  const account = email.trim().toLowerCase();
  const known = await knownDevice(visitor, account);
  visitor.parts.signInLimits.takeOfAccount(
    known === null ? `invited ${account}` : `device ${known} ${account}`,
  );
}

async function knownDevice(
  { parts, device, isKnownDevice }: Visitor,
  account: string,
): Promise<string | null> {
  return isKnownDevice ? knownDeviceOf(parts.people, account, device) : null;
}
