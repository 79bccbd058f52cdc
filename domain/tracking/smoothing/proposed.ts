import { type DatedSmoothing, SmoothingSettings } from './settings.ts';

/** As if `smoothing` had always held at the location; for null, at all that have no setting of their own. */
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
