import type { Place } from '../gateway/place.ts';
import type { StoredScan } from '../storage/scan.ts';

/**
 * The gateway knew the tag of a location that the device did not, or took for the tag of the place where it was: where
 * the walk of each leg was after it. Scans of those legs that are still queued were made there.
 *
 * @param answered the scans of a submission in order, with their results.
 */
export function learnedPlaces(answered: readonly StoredScan[]): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const { leg, place, sets, result } of answered) {
    const isNews = sets === null || (sets.id === place?.id && sets.id !== result?.location?.id);
    if (isNews && result?.status === 'location' && result.location !== null) {
      places.set(leg, result.location);
    }
  }
  return places;
}
