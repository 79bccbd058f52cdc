import { onePerInstant, type Sighting } from '../history/history.ts';
import type { SmoothingSettings } from './settings.ts';

/**
 * In order of time, the scan of each instant that is looked at. Where smoothing bears on the instant (a scan of it is at
 * a place that is smoothed then) a handheld's goes before a reader's: somebody pointed it at the asset, and an antenna
 * that reads across the room at that moment must not undo that. Otherwise, and between equals, it is the one that history
 * takes.
 */
export function keptScans<Seen extends Sighting & { isByPerson: boolean }>(
  seen: readonly Seen[],
  settings: SmoothingSettings,
): readonly Seen[] {
  if (!seen.some(({ isByPerson }) => isByPerson)) {
    return onePerInstant(seen);
  }
  const byPerson = new Set(seen.flatMap((scan) => (scan.isByPerson ? [scan.observedAt] : [])));
  const decided = new Set(
    seen.flatMap(({ observedAt, locationId }) =>
      byPerson.has(observedAt) && settings.at(locationId, observedAt) !== null ? [observedAt] : [],
    ),
  );
  return onePerInstant(seen.filter(({ observedAt, isByPerson }) => isByPerson || !decided.has(observedAt)));
}
