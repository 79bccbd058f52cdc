import { type DatedSmoothing, SmoothingSettings } from './settings.ts';

/**
 * Settings as if `smoothing` had always held at the location; at all that have no setting of their own, for null.
 */
export function proposed(
  present: SmoothingSettings,
  locationId: number | null,
  smoothing: DatedSmoothing['smoothing'],
): SmoothingSettings {
  return new SmoothingSettings([
    ...present.dated.filter((each) => each.locationId !== locationId),
    { locationId, validFrom: Number.NEGATIVE_INFINITY, smoothing },
  ]);
}
