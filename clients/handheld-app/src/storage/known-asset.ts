import type { AssetRef } from '../gateway/answers.ts';
import type { Place } from '../gateway/place.ts';

/** The device's knowledge of a tag, from answers and lists. */
export interface KnownAsset {
  asset: AssetRef;
  /** Its place when this was learned. */
  place: Place | null;
  /** When it was there; missing in data of earlier versions. */
  at?: string;
}
