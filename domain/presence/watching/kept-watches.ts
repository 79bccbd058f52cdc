import { MICROS_PER_DAY, MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { EXPECTED } from '../expectations.ts';
import type { Interval } from '../intervals.ts';

/** Learning about a reader takes seven days, and the longest expectation one. */
export const KEPT: Micros = 8 * MICROS_PER_DAY;

/** Watched time that is kept, however long ago it was: after a day of it nothing depends on what was watched before. */
const ENOUGH: Micros = 2 * EXPECTED.most * MICROS_PER_SECOND;

/**
 * The watches of the last eight days, and of the last two days of watched time where ingestion did not run for long.
 *
 * @param watched in order and apart.
 */
export function keptWatches(watched: readonly Interval[]): readonly Interval[] {
  const now = watched.at(-1)?.until ?? 0;
  let sum = 0;
  let first = watched.length;
  for (const { since, until } of watched.toReversed()) {
    if (until < now - KEPT && sum >= ENOUGH) {
      break;
    }
    sum += until - since;
    first -= 1;
  }
  return watched.slice(first);
}
