import type { AssetRef } from '../gateway/answers.ts';
import type { Place } from '../gateway/place.ts';
import type { KnownAsset } from '../storage/known-asset.ts';
import type { StoredScan } from '../storage/scan.ts';

/** Locations of assets by id, as the gateway said; null for nowhere. */
export type Whereabouts = ReadonlyMap<number, Place | null>;

/** An asset's location by the scans of a sweep. */
export interface Standing {
  asset: AssetRef;
  /** Its location before, if known. */
  from: string | null;
  isPending: boolean;
  /** Where it was recorded last. */
  at: Place;
  /** Whether it is there now: it was moved there, or should be there anyway. */
  isSure: boolean;
}

/** Before the first scan of an asset. `known` is what the device knows of it, if the gateway has not answered. */
export function standingAtFirst(
  known: KnownAsset | null,
  asset: AssetRef,
  { place, isExpected }: { place: Place; isExpected: boolean },
): Standing {
  return { asset, from: known?.place?.name ?? null, isPending: true, at: place, isSure: isExpected };
}

export function standingAfter(before: Standing, { result }: StoredScan, place: Place): Standing {
  if (result === null) {
    // It will be moved here, one supposes, unless it was before.
    return isHere(before, place) ? before : { ...before, isPending: true, at: place, isSure: true };
  }
  const at = result.location ?? place;
  return {
    asset: result.asset ?? before.asset,
    from: before.from ?? result.from?.name ?? null,
    isPending: false,
    at,
    // An asset that was only seen stays at its location.
    isSure: result.status !== 'seen' || (before.isSure && before.at.id === at.id),
  };
}

/** After asking the gateway, if the scans do not tell. */
export function standingLookedUp(standing: Standing, whereabouts: Whereabouts): Standing {
  const at = whereabouts.get(standing.asset.id) ?? null;
  return standing.isSure || at === null ? standing : { ...standing, at, isSure: true };
}

export function isHere({ at, isSure }: Standing, place: Place): boolean {
  return isSure && at.id === place.id;
}
