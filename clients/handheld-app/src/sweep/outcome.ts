import type { AssetRef, ListedAsset } from '../gateway/answers.ts';
import type { Place } from '../gateway/place.ts';
import type { KnownAsset } from '../storage/known-asset.ts';
import type { StoredScan } from '../storage/scan.ts';
import {
  isHere,
  type Standing,
  standingAfter,
  standingAtFirst,
  standingLookedUp,
  type Whereabouts,
} from './standing.ts';

export interface SweptAsset {
  asset: AssetRef;
  /** The asset's earlier place, if known. */
  from: string | null;
  isPending: boolean;
}

export interface SweptTag {
  tag_type: string;
  value: string;
  why: 'unknown' | 'ambiguous' | 'pending' | 'unrecorded';
}

/** Scanned in the sweep, but not confirmed by the gateway to be here now. */
export interface SweptToCheck {
  what: AssetRef | Place;
  /**
   * `recorded`: at another place, whose tag was scanned before it, or where it was scanned since. `place`: the tag of
   * such a place. `seen`: here, without a move; it was here already, or is elsewhere since.
   */
  why: 'recorded' | 'place' | 'seen';
  /** Name of the place it was recorded at. */
  at: string;
}

/** Outcome of a sweep: each expected asset is found, missing or to be checked, every other scan is classified. */
export interface SweepOutcome {
  found: SweptAsset[];
  movedHere: SweptAsset[];
  /** Found by a sweep that only checks, and not expected: it is recorded elsewhere. */
  elsewhere: SweptAsset[];
  missing: AssetRef[];
  unknown: SweptTag[];
  toCheck: SweptToCheck[];
}

/**
 * Compares the assets expected at a location with the scans there. The gateway's result of a scan counts; until there
 * is one, the device's knowledge of the tag.
 *
 * @param swept the place, the assets expected at the start, and others that the gateway has placed elsewhere since.
 * @param scans of the sweep, in order.
 * @param known looks up a tag on the device.
 */
export function sweepOutcome(
  {
    place,
    expected,
    whereabouts = new Map(),
  }: { place: Place; expected: readonly ListedAsset[]; whereabouts?: Whereabouts },
  scans: readonly StoredScan[],
  known: (scan: StoredScan) => KnownAsset | null,
): SweepOutcome {
  const expectedIds = new Set(expected.map(({ id }) => id));
  const swept = new Map<number, Standing>();
  const unknown = new Map<string, SweptTag>();
  const held = new Map<number, SweptAsset>();
  for (const scan of scans) {
    const tag = `${scan.tag_type}:${scan.value}`;
    const remembered = scan.result === null ? known(scan) : null;
    const asset = assetOf(scan, remembered);
    if (asset === null) {
      const why = whyUnknown(scan);
      if (why !== null) {
        unknown.set(tag, { tag_type: scan.tag_type, value: scan.value, why });
      }
      continue;
    }
    unknown.delete(tag);
    if (scan.state === 'held') {
      const from = scan.result?.location?.name ?? remembered?.place?.name ?? null;
      held.set(asset.id, { asset, from, isPending: false });
      continue;
    }
    const isExpected = expectedIds.has(asset.id);
    const before = swept.get(asset.id) ?? standingAtFirst(remembered, asset, { place, isExpected });
    swept.set(asset.id, standingAfter(before, scan, place));
  }
  const checked = [...held.values()].filter(({ asset }) => !swept.has(asset.id));
  const standings = [...swept.values()].map((standing) => standingLookedUp(standing, whereabouts));
  const here = standings
    .filter((standing) => isHere(standing, place))
    .map(({ asset, from, isPending }) => ({ asset, from, isPending }));
  return {
    found: [...here, ...checked]
      .filter(({ asset }) => expectedIds.has(asset.id))
      .map((line) => ({ ...line, from: null })),
    elsewhere: checked.filter(({ asset }) => !expectedIds.has(asset.id)),
    movedHere: here.filter(({ asset }) => !expectedIds.has(asset.id)),
    missing: expected.filter(({ id }) => !swept.has(id) && !held.has(id)),
    unknown: [...unknown.values()],
    toCheck: [
      ...otherPlaces(place, scans).map((what) => ({ what, why: 'place' as const, at: what.name })),
      ...standings
        .filter((standing) => !isHere(standing, place))
        .map(({ asset, at }) => ({
          what: asset,
          why: at.id === place.id ? ('seen' as const) : ('recorded' as const),
          at: at.name,
        })),
    ],
  };
}

/** Places whose tags the gateway knew and the device did not. */
function otherPlaces(place: Place, scans: readonly StoredScan[]): Place[] {
  const set = scans.flatMap(({ result, state }) =>
    result?.status === 'location' && state !== 'held' ? (result.location ?? []) : [],
  );
  return [...new Map(set.map((each) => [each.id, each])).values()].filter(({ id }) => id !== place.id);
}

const RECORDED = new Set(['moved', 'seen', 'duplicate', 'checked']);

function assetOf({ state, result }: StoredScan, known: KnownAsset | null): AssetRef | null {
  if (state === 'refused') {
    return null;
  }
  if (result === null) {
    return known?.asset ?? null;
  }
  return RECORDED.has(result.status) ? result.asset : null;
}

function whyUnknown({ state, result, sets }: StoredScan): SweptTag['why'] | null {
  if (state === 'refused') {
    return 'unrecorded';
  }
  if (result === null) {
    return sets === null ? 'pending' : null;
  }
  switch (result.status) {
    case 'location':
      return null;
    case 'unknown':
    case 'ambiguous':
      return result.status;
    default:
      return 'unrecorded';
  }
}
