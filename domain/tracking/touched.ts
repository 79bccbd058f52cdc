import type { Micros } from '../../base/instant.ts';
import type { LocatedScan } from './located-scan.ts';
import { PairMap } from './pair-map.ts';
import type { Position } from './positions.ts';

/** An asset with new or strengthened scans, which are written already. `position` is from before them. */
export interface Touched {
  position: Position;
  /** At least one: new ones in order of arrival, then copies that strengthened stored ones. */
  scans: LocatedScan[];
  /** The number of new ones, which come first in `scans`. */
  fresh: number;
  /** True if every scan is newer than all that were stored before. */
  isInOrder: boolean;
}

export function touchedAssets(
  positions: readonly Position[],
  fresh: readonly LocatedScan[],
  stronger: readonly LocatedScan[],
): Touched[] {
  const touched = new PairMap<number, number, Touched>();
  for (const position of positions) {
    touched.add(position.orgId, position.assetId, { position, scans: [], fresh: 0, isInOrder: true });
  }
  for (const scan of fresh) {
    const asset = touched.get(scan.orgId, scan.assetId);
    if (asset !== undefined) {
      add(asset, scan);
      asset.fresh++;
    }
  }
  for (const scan of stronger) {
    const asset = touched.get(scan.orgId, scan.assetId);
    if (asset !== undefined) {
      add(asset, scan);
    }
  }
  return touched.values().filter(({ scans }) => scans.length > 0);
}

function add(asset: Touched, scan: LocatedScan): void {
  asset.scans.push(scan);
  asset.isInOrder &&= isNewest(asset.position, scan.observedAt);
}

export function isNewest({ lastSeen }: Position, observedAt: number): boolean {
  return lastSeen === null || observedAt > lastSeen;
}

export function earliest(scans: readonly LocatedScan[]): Micros {
  return scans.reduce((first, { observedAt }) => Math.min(first, observedAt), Number.POSITIVE_INFINITY);
}

export function latest(scans: readonly LocatedScan[]): Micros {
  return scans.reduce((last, { observedAt }) => Math.max(last, observedAt), 0);
}
