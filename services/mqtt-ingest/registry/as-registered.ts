import type { RegisteredReader } from '../../../domain/messages/load-readers.ts';
import type { Registry } from './registry.ts';

/** Why whoever is sent away is to come again: maybe to the other cell, maybe to this one. */
export const LEAVING = 'its organization moves to another cell, or has moved; it is to connect again';

const UNREGISTERED = 'the reader was deleted, or has another password since';

/** Undefined if the signed-in reader was deleted, its password has changed, or its organization moves to another cell. */
export function asRegistered(
  registry: Pick<Registry, 'byUsername'>,
  signedInAs: RegisteredReader,
): RegisteredReader | undefined {
  const reader = registry.byUsername(signedInAs.username);
  return reader === signedInAs || reader?.passwordSha256.equals(signedInAs.passwordSha256) === true
    ? reader
    : undefined;
}

/** Why nothing more is taken from a connection. */
export function whyUnregistered(registry: Pick<Registry, 'isLeaving'>, username: string | null): string {
  return username !== null && registry.isLeaving(username) ? LEAVING : UNREGISTERED;
}
