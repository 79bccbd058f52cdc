import type { Micros } from '../../../base/instant.ts';
import { isNamed } from '../conditions/selected-times.ts';
import type { DatedRule } from '../rules/rule.ts';
import type { ChangedHistory } from './read-moves.ts';

/**
 * When a move, or several, may first make the condition of a rule true of an asset that none was true of before: a bound
 * by thresholds alone, so that what moves on at once need not be looked at. What was due sooner for other reasons still is.
 *
 * @param rules all versions, of kinds that are about assets.
 * @param isBelow whether one of the locations of the moves is at or below another.
 */
export function earliestChange(
  rules: Iterable<DatedRule>,
  { since, assetId }: Pick<ChangedHistory, 'since' | 'assetId'>,
  isBelow: (locationId: number) => boolean,
): Micros {
  let earliest = Number.POSITIVE_INFINITY;
  for (const { kind, after, thenAfter, locationId, selection } of rules) {
    const { assetIds, withinLocationId: within } = selection;
    const isSelected = isNamed(assetIds, assetId) && (within === null || isBelow(within));
    const isAway =
      (kind === 'not_allowed' || kind === 'dwell') && locationId !== null && !isBelow(locationId);
    if (isSelected && !isAway) {
      // What comes into a selection may have stayed, or been away, for long; when it was read begins anew.
      const isNew = within !== null && kind !== 'overdue';
      const threshold = after ?? (kind === 'dwell' ? thenAfter : null) ?? 0;
      earliest = Math.min(earliest, isNew ? since : since + threshold);
    }
  }
  return earliest;
}
