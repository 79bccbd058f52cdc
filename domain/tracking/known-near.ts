import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { findKnownScans, type KnownScan } from './known-scans.ts';
import type { LocatedScan } from './located-scan.ts';
import { type Late, loadNear, type Near, type StoredScan } from './near-scans.ts';
import type { PairMap } from './pair-map.ts';
import type { Position } from './positions.ts';
import type { RecentRepeats } from './recent-repeats.ts';
import { isNewest } from './touched.ts';

export interface KnownNear {
  known: ReadonlyMap<LocatedScan, KnownScan>;
  /** Around the late ones of the scans. */
  near: ReadonlyMap<LocatedScan, Near>;
}

export interface FindOptions {
  /** The locked positions of their assets. */
  positionOf: Pick<PairMap<number, number, Position>, 'get'>;
  /** Those that this transaction has written already. */
  written: ReadonlySet<LocatedScan>;
  /** Without it none are expected. */
  repeats: RecentRepeats | undefined;
}

/**
 * Finds those of `scans` that are stored already for their assets, and with the same look-ups what is stored around
 * late ones. Two kinds are found when they are written only, unless such repeats are expected: what is stored for another
 * asset, which had its tag before, and what changes no history.
 */
export async function findKnownNear(
  db: Connection,
  scans: readonly LocatedScan[],
  { positionOf, written, repeats }: FindOptions,
): Promise<KnownNear> {
  const late: Late[] = [];
  for (const scan of scans) {
    const position = positionOf.get(scan.orgId, scan.assetId);
    if (position !== undefined && !isNewest(position, scan.observedAt)) {
      late.push({ scan, position, isWritten: written.has(scan) });
    }
  }
  const near = await loadNear(db, late, repeats?.areExpected() ?? false);
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
  const ofMovedTags = scans.filter(
    (scan) => repeats?.areOfMovedTags(scan.orgId) && !known.has(scan) && !written.has(scan),
  );
  const [more, others] = [await findKnownScans(db, unclear), await findKnownScans(db, ofMovedTags)];
  return { known: new Map([...known, ...more, ...others]), near };
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
