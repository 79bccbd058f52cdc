import { onePerInstant, type Sighting } from '../history/history.ts';
import type { SmoothingSettings } from './settings.ts';

/**
 * One scan of each instant, in order of time. If smoothing applies to the instant (one of its scans is at a location that
 * is smoothed then), handhelds take precedence over readers: somebody pointed one at the asset, and an antenna that reads
 * across the room at that moment must not undo that. Otherwise, and among equals, it is the scan that history takes.
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
