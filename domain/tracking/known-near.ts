import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { findKnownScans, type KnownScan } from './known-scans.ts';
import type { LocatedScan } from './located-scan.ts';
import { type Late, loadNear, type Near, type StoredScan } from './near-scans.ts';
import type { PairMap } from './pair-map.ts';
import type { Position } from './positions.ts';
import { isNewest } from './touched.ts';

export interface KnownNear {
  known: ReadonlyMap<LocatedScan, KnownScan>;
  /** Around the late ones of the scans. */
  near: ReadonlyMap<LocatedScan, Near>;
}

/**
 * Finds those of `scans` that are stored already for their assets, and with the same look-ups what is stored around
 * late ones. Two kinds are found when they are written only: what is stored for another asset, which had its tag before,
 * and unless repeats are expected what changes no history.
 *
 * @param positionOf the locked positions of their assets.
 */
export async function findKnownNear(
  db: Connection,
  scans: readonly LocatedScan[],
  positionOf: Pick<PairMap<number, number, Position>, 'get'>,
  areRepeatsExpected: boolean,
): Promise<KnownNear> {
  const late: Late[] = [];
  for (const scan of scans) {
    const position = positionOf.get(scan.orgId, scan.assetId);
    if (position !== undefined && !isNewest(position, scan.observedAt)) {
      late.push({ scan, position });
    }
  }
  const near = await loadNear(db, late, areRepeatsExpected);
  const known = new Map<LocatedScan, KnownScan>();
  const unclear: LocatedScan[] = [];
  for (const [scan, { scans: stored }] of near) {
    const copy = stored.find((each) => isCopy(scan, each));
    if (copy !== undefined) {
      known.set(scan, { assetId: scan.assetId, locationId: copy.locationId, rssi: copy.rssi });
    } else if (stored[1]?.observedAt === scan.observedAt) {
      // There may be more at that instant.
      unclear.push(scan);
    }
  }
  return { known: new Map([...known, ...(await findKnownScans(db, unclear))]), near };
}

function isCopy({ observedAt, tagValue, scan }: LocatedScan, stored: StoredScan): boolean {
  const { source, tagType } = scan;
  const other = stored.scan;
  if (observedAt !== stored.observedAt || other === null || other === undefined) {
    return false;
  }
  return source.kind === 'reader'
    ? other.source.kind === 'reader' &&
        other.source.readerId === source.readerId &&
        other.source.antenna === source.antenna &&
        other.tagType === tagType &&
        other.tagValue === tagValue
    : other.source.kind === 'handheld' &&
        other.source.submissionId === source.submissionId &&
        other.source.index === source.index;
}
