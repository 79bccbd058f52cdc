import { sameInstant } from '../../base/checks/same.ts';
import { type Instant, toDatabase } from '../../base/timestamps.ts';

/**
 * The instant to store when a PATCH gives one, as the database takes it. What a client got to see of the stored
 * instant stands for the stored instant, finer digits included.
 *
 * @param given undefined if the PATCH leaves it alone.
 */
function patchedTime(given: Instant | undefined, stored: string): string;
function patchedTime(given: Instant | null | undefined, stored: string | null): string | null;
function patchedTime(given: Instant | null | undefined, stored: string | null): string | null {
  if (given === undefined || (given !== null && stored !== null && sameInstant(given, stored))) {
    return stored;
  }
  return given === null ? null : toDatabase(given);
}

/** What assets and locations have that a change can write, as it is stored. */
export interface CommonColumns {
  name: string;
  description: string | null;
  is_active: boolean;
  valid_from: string;
  valid_to: string | null;
}

/** A change of it; undefined leaves a value alone. */
export interface CommonChanges {
  name?: string | undefined;
  description?: string | null | undefined;
  is_active?: boolean | undefined;
  valid_from?: Instant | undefined;
  valid_to?: Instant | null | undefined;
}

/** The columns as they are after a change; what is not given stays, to the last digit. */
export function patchedCommon(current: CommonColumns, changes: CommonChanges): CommonColumns {
  return {
    name: changes.name ?? current.name,
    description: changes.description === undefined ? current.description : changes.description,
    is_active: changes.is_active ?? current.is_active,
    valid_from: patchedTime(changes.valid_from, current.valid_from),
    valid_to: patchedTime(changes.valid_to, current.valid_to),
  };
}
