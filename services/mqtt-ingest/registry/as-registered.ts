import type { RegisteredReader } from '../../../domain/messages/load-readers.ts';
import type { Registry } from './registry.ts';

/** Why nothing more is taken from a connection. */
export const UNREGISTERED = 'the reader was deleted, or has another password since';

/** Undefined if the signed-in reader was deleted or its password has changed. */
export function asRegistered(
  registry: Pick<Registry, 'byUsername'>,
  signedInAs: RegisteredReader,
): RegisteredReader | undefined {
  const reader = registry.byUsername(signedInAs.username);
  return reader === signedInAs || reader?.passwordSha256.equals(signedInAs.passwordSha256) === true
    ? reader
    : undefined;
}
