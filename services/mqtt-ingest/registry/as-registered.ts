import type { RegisteredReader } from './load-readers.ts';
import type { Registry } from './registry.ts';

/** A reader that has signed in as it is registered now; undefined if it was deleted, or has another password since. */
export function asRegistered(
  registry: Pick<Registry, 'byUsername'>,
  signedInAs: RegisteredReader,
): RegisteredReader | undefined {
  const reader = registry.byUsername(signedInAs.username);
  return reader === signedInAs || reader?.passwordSha256.equals(signedInAs.passwordSha256) === true
    ? reader
    : undefined;
}
