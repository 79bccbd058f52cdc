import { append } from '../../base/append.ts';
import { eachInTurns } from '../../base/each-in-turns.ts';
import type { Micros } from '../../base/instant.ts';
import { NOTHING_CHANGES } from './around-late.ts';
import { assetKey } from './history/asset-ref.ts';
import type { Transition } from './history/history.ts';
import type { Neighbourhood } from './history/revise.ts';
import { type LocatedScan, toSighting } from './located-scan.ts';
import { lastSightingAmong, type Move, movesInTurn, movesWhereSmoothed, type WithMoves } from './moves.ts';
import { type Change, revision, unchanged } from './revision.ts';
import { afterSilence } from './smoothing/after-silence.ts';
import type { SmoothingSettings } from './smoothing/settings.ts';
import { type SmoothedAsset, smoothedNeighbourhoods } from './smoothing/smoothed-neighbourhoods.ts';
import type { StoredTracking } from './stored-tracking.ts';
import { latest, type Touched } from './touched.ts';

/** The settings that bear on the scans of an asset, and the widest window among them. */
export interface Smoothed {
  settings: SmoothingSettings;
  reach: Micros;
}

/** `smoothed` is null where smoothing does not bear on the scans. */
export interface ScansToMerge extends Touched {
  smoothed: Smoothed | null;
}

/** Works scans into the neighbourhood of stored scans and transitions around them. */
export async function mergeScans(
  stored: StoredTracking,
  touched: readonly ScansToMerge[],
  smoothing: ReadonlyMap<number, SmoothingSettings>,
): Promise<(Change & WithMoves)[]> {
  const around = await eachInTurns(touched, (asset) =>
    smoothing.has(asset.position.orgId) ? null : stored.around(asset),
  );
  const loaded = await neighbourhoodsOf(
    stored,
    touched.filter((_, index) => around[index] === null),
  );
  return eachInTurns(touched.entries(), ([index, asset]) => {
    const found = around[index] ?? loaded.get(assetKey(asset.position)) ?? NOTHING_CHANGES;
    if (found === NOTHING_CHANGES) {
      return unchanged(asset);
    }
    const neighbourhood =
      asset.smoothed === null ? afterSilence(found, smoothing.get(asset.position.orgId)) : found;
    const change = revision(asset.position, neighbourhood, asset.scans);
    return { ...change, moves: movesOf(asset, neighbourhood, change.upToNow) };
  });
}

function movesOf(
  asset: ScansToMerge,
  { spans }: Neighbourhood,
  upToNow: readonly Transition[] | null,
): readonly Move[] {
  if (upToNow === null) {
    return [];
  }
  return asset.smoothed === null
    ? movesInTurn(asset, asset.scans.map(toSighting), lastSightingAmong(spans, asset))
    : movesWhereSmoothed(asset, upToNow);
}

async function neighbourhoodsOf(
  stored: StoredTracking,
  touched: readonly ScansToMerge[],
): Promise<ReadonlyMap<string, Neighbourhood>> {
  const instants: LocatedScan[] = [];
  const smoothedAssets: SmoothedAsset[] = [];
  for (const { position, scans, smoothed } of touched) {
    if (smoothed === null) {
      append(instants, new Map(scans.map((scan) => [scan.observedAt, scan])).values());
    } else {
      const { orgId, assetId, lastSeen } = position;
      const changed = scans.map(({ observedAt }) => observedAt);
      smoothedAssets.push({
        ...{ orgId, assetId, changed, lastSeen: Math.max(lastSeen ?? 0, latest(scans)) },
        ...smoothed,
      });
    }
  }
  const [plain, smooth] = await Promise.all([
    instants.length === 0 ? [] : stored.neighbourhoods(instants),
    smoothedNeighbourhoods(stored, smoothedAssets),
  ]);
  return new Map([...plain, ...smooth]);
}
