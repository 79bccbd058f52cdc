import type { Micros } from '../../base/instant.ts';
import { assetKey } from './history/asset-ref.ts';
import type { Transition } from './history/history.ts';
import type { Neighbourhood } from './history/revise.ts';
import { toSighting } from './located-scan.ts';
import { type Change, revision } from './revision.ts';
import type { SmoothingSettings } from './smoothing/settings.ts';
import { smoothedNeighbourhoods } from './smoothing/smoothed-neighbourhoods.ts';
import type { StoredTracking } from './stored-tracking.ts';
import { lastSightingAmong, type Move, movesInTurn, movesWhereSmoothed, type Told } from './tell-moves.ts';
import { latest, type Touched } from './touched.ts';

/** Where smoothing bears on the scans of an asset: by what settings, and how far around them. */
export interface Smoothed {
  settings: SmoothingSettings;
  reach: Micros;
}

/** An asset whose scans have to be worked into their neighbourhood. */
export interface ToWorkIn extends Touched {
  smoothed: Smoothed | null;
}

/** Works scans into what is stored around them. */
export async function workIn(
  stored: StoredTracking,
  touched: readonly ToWorkIn[],
): Promise<(Change & Told)[]> {
  const neighbourhoods = await neighbourhoodsOf(stored, touched);
  return touched.map((asset) => {
    const neighbourhood = neighbourhoods.get(assetKey(asset.position)) ?? { windows: [], stored: [] };
    const change = revision(asset.position, neighbourhood, asset.scans);
    return { ...change, moves: movesOf(asset, neighbourhood, change.upToNow) };
  });
}

function movesOf(
  asset: ToWorkIn,
  { windows }: Neighbourhood,
  upToNow: readonly Transition[] | null,
): readonly Move[] {
  if (upToNow === null) {
    return [];
  }
  return asset.smoothed === null
    ? movesInTurn(asset, asset.scans.map(toSighting), lastSightingAmong(windows, asset))
    : movesWhereSmoothed(asset, upToNow);
}

async function neighbourhoodsOf(
  stored: StoredTracking,
  touched: readonly ToWorkIn[],
): Promise<ReadonlyMap<string, Neighbourhood>> {
  const instants = touched.flatMap(({ scans, smoothed }) =>
    smoothed === null ? [...new Map(scans.map((scan) => [scan.observedAt, scan])).values()] : [],
  );
  const smoothedAssets = touched.flatMap(({ position: { orgId, assetId, lastSeen }, scans, smoothed }) => {
    const changed = scans.map(({ observedAt }) => observedAt);
    return smoothed === null
      ? []
      : [{ orgId, assetId, changed, lastSeen: Math.max(lastSeen ?? 0, latest(scans)), ...smoothed }];
  });
  const [plain, smooth] = await Promise.all([
    instants.length === 0 ? [] : stored.neighbourhoods(instants),
    smoothedNeighbourhoods(stored, smoothedAssets),
  ]);
  return new Map([...plain, ...smooth]);
}
