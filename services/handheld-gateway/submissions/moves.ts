import type { Micros } from '../../../base/instant.ts';
import { compareRssi } from '../../../domain/tracking/history.ts';

/** A recorded scan of an asset. */
export interface RecordedScan {
  assetId: number;
  locationId: number;
  observedAt: Micros;
  rssi: number | null;
}

/** Where an asset is, and by which scan. */
export interface Whereabouts {
  locationId: number | null;
  seenAt: Micros | null;
  /** Of the scan that tells; undefined if that is not known. */
  rssi: number | null | undefined;
}

/** What a scan changed: null if nothing; else where the asset was before, null for nowhere. */
export type Move = { from: number | null } | null;

/**
 * Which of the scans moved their asset, told as if each had come alone: the newest scan of an asset says where it is;
 * of one instant the strongest, then the one at the location with the smallest id (tracking rule 1).
 *
 * @param before by asset, as it was before the scans.
 * @param after where assets are now, by asset; of those that have a scan at the very instant of their last one before.
 */
export function followMoves(
  scans: readonly RecordedScan[],
  before: ReadonlyMap<number, Whereabouts>,
  after: ReadonlyMap<number, number | null>,
): Move[] {
  const now = new Map(before);
  return scans.map((scan) => {
    const known = now.get(scan.assetId) ?? { locationId: null, seenAt: null, rssi: null };
    if (!tells(scan, known, after.get(scan.assetId) ?? null)) {
      return null;
    }
    now.set(scan.assetId, { locationId: scan.locationId, seenAt: scan.observedAt, rssi: scan.rssi });
    return scan.locationId === known.locationId ? null : { from: known.locationId };
  });
}

/** Whether the scan is the one that says where its asset is, rather than the one known so far. */
function tells(scan: RecordedScan, known: Whereabouts, locationAfter: number | null): boolean {
  if (known.seenAt === null || scan.observedAt !== known.seenAt) {
    return known.seenAt === null || scan.observedAt > known.seenAt;
  }
  if (known.rssi === undefined) {
    return scan.locationId === locationAfter;
  }
  const strength = compareRssi(scan.rssi, known.rssi);
  return strength > 0 || (strength === 0 && scan.locationId < (known.locationId ?? Number.POSITIVE_INFINITY));
}
