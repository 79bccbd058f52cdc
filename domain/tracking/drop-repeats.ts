import type { Micros } from '../../base/instant.ts';
import { compareRssi } from './history/history.ts';
import type { KnownScan } from './known-scans.ts';
import { type LocatedScan, scanKey } from './located-scan.ts';

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

/**
 * Numbers scans from 0, copies of a scan alike. A reader makes few scans at one instant, so the key of a scan, the most
 * expensive string of recording, is built for those only.
 */
export class ScanNumbers {
  readonly #firsts: LocatedScan[] = [];
  /** By reader. */
  readonly #atInstants = new Map<number, Map<Micros, SameInstant>>();

  numberOf(scan: LocatedScan): number {
    const { source } = scan.scan;
    // A handheld's scan is identified by submission and index, whatever the time.
    const instant = source.kind === 'reader' ? scan.observedAt : 0;
    const atInstants = this.#ofReader(source.kind === 'reader' ? source.readerId : NO_READER);
    const there = atInstants.get(instant);
    if (there === undefined) {
      atInstants.set(instant, this.#firsts.length);
      return this.#add(scan);
    }
    const byKey = typeof there === 'number' ? this.#keyed(there) : there;
    atInstants.set(instant, byKey);
    const key = scanKey(scan);
    const known = byKey.get(key);
    if (known !== undefined) {
      return known;
    }
    byKey.set(key, this.#firsts.length);
    return this.#add(scan);
  }

  #ofReader(reader: number): Map<Micros, SameInstant> {
    let atInstants = this.#atInstants.get(reader);
    if (atInstants === undefined) {
      atInstants = new Map();
      this.#atInstants.set(reader, atInstants);
    }
    return atInstants;
  }

  #keyed(number: number): Map<string, number> {
    return new Map([[scanKey(this.#firsts[number] as LocatedScan), number]]);
  }

  #add(scan: LocatedScan): number {
    return this.#firsts.push(scan) - 1;
  }
}

/** The number of the only scan, or the numbers of several by their keys. */
type SameInstant = number | Map<string, number>;

const NO_READER = 0;
