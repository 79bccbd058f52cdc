import { AppError } from '../../../base/errors.ts';
import { ExpiryPassed } from '../../../domain/administration/expiry.ts';

/** The remedy for an error with `--expires-at`: names the flag if the time has passed. */
export function refuseExpiry(expiresAt: string | null): (error: unknown) => never {
  return (error) => {
    throw error instanceof ExpiryPassed
      ? new AppError('invalid_input', `--expires-at ${expiresAt} must be in the future`)
      : error;
  };
}
