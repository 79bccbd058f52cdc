import type { Client } from '../../db/timescale/connections/client.ts';
import { compareRssi } from './history/history.ts';
import { findKnownScans } from './known-scans.ts';
import type { LocatedScan } from './located-scan.ts';
import { ScanNumbers } from './scan-numbers.ts';

/** Placed scans by what is to be done with them. */
export interface SortedOut {
  /** To be inserted: of each identity the first of the given ones, with the strength of the strongest. */
  fresh: LocatedScan[];
  /** Stronger copies of stored scans, under the asset that has those. */
  stronger: LocatedScan[];
  /** Those of the given scans that leave no trace of their own. */
  duplicates: ReadonlySet<LocatedScan>;
}

/**
 * A scan counts once. Of copies of a reader's scan that differ in RSSI only, the strongest stays, whichever came
 * first; of others the first stays.
 *
 * @param mayBeKnown whether a scan has to be looked for among the stored ones.
 */
export async function sortOut(
  client: Client,
  placed: readonly LocatedScan[],
  mayBeKnown: (scan: LocatedScan) => boolean,
): Promise<SortedOut> {
  const numbers = new ScanNumbers();
  const distinct: LocatedScan[] = [];
  const duplicates = new Set<LocatedScan>();
  for (const copy of placed) {
    const number = numbers.numberOf(copy);
    const first = distinct[number];
    if (first === undefined) {
      distinct.push(copy);
    } else {
      duplicates.add(copy);
      if (isStronger(copy, { locationId: first.locationId, rssi: first.scan.rssi })) {
        first.scan = { ...first.scan, rssi: copy.scan.rssi };
      }
    }
  }
  const known = await findKnownScans(client, distinct.filter(mayBeKnown));
  const fresh: LocatedScan[] = [];
  const stronger: LocatedScan[] = [];
  for (const scan of distinct) {
    const stored = known.get(scan);
    if (stored === undefined) {
      fresh.push(scan);
    } else if (isStronger(scan, stored)) {
      stronger.push({ ...scan, assetId: stored.assetId });
    }
  }
  if (known.size > 0) {
    for (const copy of placed) {
      const scan = distinct[numbers.numberOf(copy)];
      if (scan !== undefined && known.has(scan)) {
        duplicates.add(copy);
      }
    }
  }
  return { fresh, stronger, duplicates };
}

/** Whether a copy of a scan differs from it in RSSI only, and is the stronger one. A handheld's never is. */
function isStronger(copy: LocatedScan, known: { locationId: number; rssi: number | null }): boolean {
  return (
    copy.scan.source.kind === 'reader' &&
    copy.locationId === known.locationId &&
    compareRssi(copy.scan.rssi, known.rssi) > 0
  );
}
