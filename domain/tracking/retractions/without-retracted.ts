import { append } from '../../../base/append.ts';
import type { Micros } from '../../../base/instant.ts';
import { type AssetRef, assetKey } from '../history/asset-ref.ts';
import type { Stay, Transition } from '../history/history.ts';
import type { Neighbourhood } from '../history/revise.ts';
import { type Change, revision } from '../history-changes.ts';
import type { Site } from '../location/site.ts';
import { type ChangedAsset, statedNeighbourhoods } from '../location/stated-neighbourhoods.ts';
import type { Position } from '../positions.ts';
import type { StoredTracking } from '../stored-tracking.ts';

export interface AssetRetraction {
  position: Position;
  /** The instants of the scans that are gone; at least one. */
  instants: readonly Micros[];
}

/**
 * The changes of transitions and positions after scans were taken back. As for a late scan, only the neighbourhood of
 * each is read. An asset without remaining scans is nowhere, and was never seen.
 */
export async function withoutRetracted(
  stored: StoredTracking,
  assets: readonly AssetRetraction[],
  sites: ReadonlyMap<number, Site>,
): Promise<Change[]> {
  const [neighbourhoods, newest] = await Promise.all([
    neighbourhoodsOf(stored, assets, sites),
    newestLeft(stored, assets),
  ]);
  return assets.map(({ position }) => {
    const key = assetKey(position);
    const change = revision(position, neighbourhoods.get(key) ?? { spans: [], stored: [] }, []);
    const stay = change.upToNow === null ? position.stay : stayOf(change.upToNow.at(-1));
    const isLastGone = newest.has(key);
    // Where raw scans have been dropped, it was seen at the last transition at least.
    const lastSeen = isLastGone ? (newest.get(key) ?? stay?.since ?? null) : position.lastSeen;
    return { ...change, position: { ...change.position, stay, lastSeen } };
  });
}

function stayOf(last: Transition | undefined): Stay | null {
  return last === undefined ? null : { locationId: last.locationId, since: last.observedAt };
}

async function neighbourhoodsOf(
  stored: StoredTracking,
  assets: readonly AssetRetraction[],
  sites: ReadonlyMap<number, Site>,
): Promise<ReadonlyMap<string, Neighbourhood>> {
  const plain: (AssetRef & { observedAt: Micros })[] = [];
  const atSites: ChangedAsset[] = [];
  for (const { position, instants } of assets) {
    const { orgId, assetId, lastSeen, positionAt } = position;
    const changed = [...new Set(instants)].sort((a, b) => a - b);
    const site = sites.get(orgId);
    if (site === undefined) {
      append(
        plain,
        changed.map((observedAt) => ({ orgId, assetId, observedAt })),
      );
    } else {
      atSites.push({ orgId, assetId, changed, site, positionAt, lastSeen: lastSeen ?? 0 });
    }
  }
  const [ofPlain, ofSites] = await Promise.all([
    plain.length === 0 ? [] : stored.neighbourhoods(plain),
    statedNeighbourhoods(stored, atSites),
  ]);
  return new Map([...ofPlain, ...ofSites]);
}

/** For assets whose newest scan is gone, by {@link assetKey}: the time of the newest remaining one, if any. */
async function newestLeft(
  stored: StoredTracking,
  assets: readonly AssetRetraction[],
): Promise<ReadonlyMap<string, Micros | null>> {
  const withoutNewest = assets.flatMap(({ position: { orgId, assetId, lastSeen }, instants }) =>
    lastSeen !== null && instants.includes(lastSeen) ? [{ orgId, assetId, observedAt: lastSeen + 1 }] : [],
  );
  const before = withoutNewest.length === 0 ? [] : await stored.lastBefore(withoutNewest, 0);
  return new Map(
    withoutNewest.map((asset, index) => [assetKey(asset), before[index]?.[0]?.observedAt ?? null] as const),
  );
}
