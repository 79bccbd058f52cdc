import type { AssetRef, ListedAsset } from '../gateway/answers.ts';
import type { StoredScan } from '../queue/scan.ts';
import type { KnownAsset } from '../storage/known-asset.ts';

/** One line of a sweep's outcome. */
export interface SweptAsset {
  asset: AssetRef;
  /** Where it belonged before it was found here, if that is known. */
  from: string | null;
  /** The gateway has not confirmed it yet. */
  isPending: boolean;
}

export interface SweptTag {
  tag_type: string;
  value: string;
  why: 'unknown' | 'ambiguous' | 'pending' | 'unrecorded';
}

/** What a sweep of a location came to: every expected asset is found or missing, every other scan says what it is. */
export interface SweepOutcome {
  found: SweptAsset[];
  movedHere: SweptAsset[];
  missing: AssetRef[];
  unknown: SweptTag[];
}

/**
 * Compares what should be at a location with what was scanned there. What the gateway said of a scan counts; until it
 * did, what the device knows of the tag.
 *
 * @param expected what should be there when the sweep began.
 * @param scans of the sweep, in order.
 * @param known looks up what the device knows of a scanned tag.
 */
export function sweepOutcome(
  expected: readonly ListedAsset[],
  scans: readonly StoredScan[],
  known: (scan: StoredScan) => KnownAsset | null,
): SweepOutcome {
  const expectedIds = new Set(expected.map(({ id }) => id));
  const here = new Map<number, SweptAsset>();
  const unknown = new Map<string, SweptTag>();
  for (const scan of scans) {
    const tag = `${scan.tag_type}:${scan.value}`;
    const { asset, from } = assetOf(scan, known(scan));
    if (asset === null) {
      const why = whyUnknown(scan);
      if (why !== null) {
        unknown.set(tag, { tag_type: scan.tag_type, value: scan.value, why });
      }
      continue;
    }
    unknown.delete(tag);
    const before = here.get(asset.id);
    here.set(asset.id, {
      asset,
      from: before?.from ?? from,
      isPending: scan.result === null && before?.isPending !== false,
    });
  }
  const swept = [...here.values()];
  return {
    found: swept.filter(({ asset }) => expectedIds.has(asset.id)).map((line) => ({ ...line, from: null })),
    movedHere: swept.filter(({ asset }) => !expectedIds.has(asset.id)),
    missing: expected.filter(({ id }) => !here.has(id)),
    unknown: [...unknown.values()],
  };
}

/** Results that leave the asset at the place of the sweep. */
const PLACED = new Set(['moved', 'seen', 'duplicate']);

function assetOf(
  scan: StoredScan,
  known: KnownAsset | null,
): { asset: AssetRef | null; from: string | null } {
  if (scan.state === 'refused' || (scan.result !== null && !PLACED.has(scan.result.status))) {
    return { asset: null, from: null };
  }
  if (scan.result !== null) {
    return { asset: scan.result.asset, from: scan.result.from?.name ?? null };
  }
  return { asset: known?.asset ?? null, from: known?.place?.name ?? null };
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
