import { AppError } from '../../../base/errors.ts';
import type { Format } from './format.ts';
import type { Policies } from './policies.ts';

/**
 * @throws AppError `invalid_input` if the format does not know the identity; undefined or null leaves it to
 * the format.
 */
export function requireIdentity(format: Format, identity: Policies['identity'] | undefined): void {
  if (identity !== undefined && !format.identities.includes(identity)) {
    throw new AppError(
      'invalid_input',
      `Format ${format.name} does not know the identity ${identity}; it knows ${format.identities.join(', ')}`,
    );
  }
}
