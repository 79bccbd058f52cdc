import { compareRssi } from './history/history.ts';
import type { KnownScan } from './known-scans.ts';
import type { LocatedScan } from './located-scan.ts';
import { ScanNumbers } from './scan-numbers.ts';

export interface Deduplicated {
  /** Scans to insert: the first copy of each, with the RSSI of the strongest. */
  fresh: LocatedScan[];
  /** Stronger copies of stored scans, under the asset that the stored scan belongs to. */
  stronger: LocatedScan[];
  /** Given scans that are not stored as rows of their own. */
  duplicates: ReadonlySet<LocatedScan>;
}

/** Scans without copies among them, and which of them each given one is a copy of. */
export interface Distinct {
  scans: LocatedScan[];
  located: readonly LocatedScan[];
  numbers: ScanNumbers;
  /** Copies of `scans`. */
  copies: readonly LocatedScan[];
}

/**
 * Tracking rule 3: a scan counts once. Of copies of a reader's scan that differ in RSSI only, the strongest stays,
 * whichever came first; of others the first stays.
 */
export function distinctScans(located: readonly LocatedScan[]): Distinct {
  const numbers = new ScanNumbers();
  const scans: LocatedScan[] = [];
  const copies: LocatedScan[] = [];
  for (const copy of located) {
    const number = numbers.numberOf(copy);
    const first = scans[number];
    if (first === undefined) {
      scans.push(copy);
    } else {
      copies.push(copy);
      if (isStronger(copy, { locationId: first.locationId, rssi: first.scan.rssi })) {
        first.scan = { ...first.scan, rssi: copy.scan.rssi };
      }
    }
  }
  return { scans, located, numbers, copies };
}

/** @param known those of the scans that are stored already. */
export function dropRepeats(
  { scans, located, numbers, copies }: Distinct,
  known: ReadonlyMap<LocatedScan, KnownScan>,
): Deduplicated {
  const duplicates = new Set(copies);
  const fresh: LocatedScan[] = [];
  const stronger: LocatedScan[] = [];
  for (const scan of scans) {
    const stored = known.get(scan);
    if (stored === undefined) {
      fresh.push(scan);
    } else if (isStronger(scan, stored)) {
      stronger.push({ ...scan, assetId: stored.assetId });
    }
  }
  if (known.size > 0) {
    for (const copy of located) {
      const scan = scans[numbers.numberOf(copy)];
      if (scan !== undefined && known.has(scan)) {
        duplicates.add(copy);
      }
    }
  }
  return { fresh, stronger, duplicates };
}

/** Only copies of a reader's scan at the same location are compared. */
function isStronger(copy: LocatedScan, known: { locationId: number; rssi: number | null }): boolean {
  return (
    copy.scan.source.kind === 'reader' &&
    copy.locationId === known.locationId &&
    compareRssi(copy.scan.rssi, known.rssi) > 0
  );
}
