import type { Place } from '../gateway/place.ts';
import type { StoredScan } from '../storage/scan.ts';

/**
 * Places by leg, where the gateway knew a location's tag that the device did not, or took for that of the current
 * place. Queued scans of those legs were made there.
 *
 * @param answered scans of a submission in order, with results.
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
