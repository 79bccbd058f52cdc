import { sameInstant } from '../shared/http/same.ts';
import { type Instant, toDatabase } from '../shared/http/timestamps.ts';

/**
 * The instant to store when a PATCH gives one, as the database takes it. What a client got to see of the stored
 * instant stands for the stored instant, finer digits included.
 *
 * @param given undefined if the PATCH leaves it alone.
 */
export function patchedTime(given: Instant | undefined, stored: string): string;
export function patchedTime(given: Instant | null | undefined, stored: string | null): string | null;
export function patchedTime(given: Instant | null | undefined, stored: string | null): string | null {
  if (given === undefined || (given !== null && stored !== null && sameInstant(given, stored))) {
    return stored;
  }
  return given === null ? null : toDatabase(given);
}
