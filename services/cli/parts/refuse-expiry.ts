import { AppError } from '../../../base/errors.ts';
import { ExpiryPassed } from '../../../domain/administration/expiry.ts';

/** What to do about an error where `--expires-at` was given: names the flag if that has passed. */
export function refuseExpiry(expiresAt: string | null): (error: unknown) => never {
  return (error) => {
    throw error instanceof ExpiryPassed
      ? new AppError('invalid_input', `--expires-at ${expiresAt} must be in the future`)
      : error;
  };
}
