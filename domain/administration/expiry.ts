import { AppError } from '../../base/errors.ts';
import { type Instant, parseTimestamp } from '../../base/timestamps.ts';

/** An expiry in the past is a mistake, perhaps of a time zone. */
export class ExpiryPassed extends AppError {
  constructor() {
    super('invalid_input', 'The time at which it expires must be in the future');
  }
}

/**
 * @param text RFC 3339; null for what does not expire.
 * @throws AppError `invalid_input`.
 */
export function parseExpiry(text: string | null): Instant | null {
  const expiry = text === null ? null : parseTimestamp(text);
  if (text !== null && expiry === null) {
    throw new AppError('invalid_input', `"${text}" is not an RFC 3339 timestamp`);
  }
  return expiry;
}
