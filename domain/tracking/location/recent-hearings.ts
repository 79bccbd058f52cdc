import { Turns } from '../../../base/each-in-turns.ts';
import type { Site } from './site.ts';
import { bucketOf, FARTHEST, type Hearing, NEAREST, type Seen, type Stated } from './statements.ts';

/**
 * The latest scans of assets, as this process recorded them, so that they need not be loaded for each new scan. They
 * are complete as long as nobody else has written the asset's position: recording or changing scans of an asset writes
 * it, and each version of the row names its transaction.
 */
export class RecentHearings {
  /** By organization and asset. */
  readonly #of = new Map<number, Map<number, Kept>>();
  /** Last used last. */
  readonly #inUse = new Set<Kept>();
  #scans = 0;

  /** @param writer the transaction that wrote the asset's position last. */
  get({ orgId, assetId, writer, version }: Version): RecentHearing | null {
    const kept = this.#of.get(orgId)?.get(assetId);
    if (kept === undefined) {
      return null;
    }
    this.#forget(kept);
    return kept.writer === writer && kept.version === version ? kept.hearing : null;
  }

  /** @param writer this transaction, which writes the asset's position. */
  keep({ orgId, assetId, writer, version }: Version, hearing: RecentHearing): void {
    const { size } = hearing;
    if (size > MOST_OF_ASSET) {
      return;
    }
    const kept = { orgId, assetId, writer, version, hearing, size };
    const ofOrganization = this.#of.get(orgId);
    if (ofOrganization === undefined) {
      this.#of.set(orgId, new Map([[assetId, kept]]));
    } else {
      ofOrganization.set(assetId, kept);
    }
    this.#inUse.add(kept);
    this.#scans += size;
    for (const oldest of this.#inUse) {
      if (this.#scans <= MOST_SCANS) {
        return;
      }
      this.#forget(oldest);
    }
  }

  #forget(kept: Kept): void {
    const ofOrganization = this.#of.get(kept.orgId);
    if (ofOrganization?.get(kept.assetId) === kept) {
      ofOrganization.delete(kept.assetId);
      if (ofOrganization.size === 0) {
        this.#of.delete(kept.orgId);
      }
    }
    if (this.#inUse.delete(kept)) {
      this.#scans -= kept.size;
    }
  }
}

/** Scans of all assets, some 250 bytes each, including their fits. */
const MOST_SCANS = 500_000;

const MOST_OF_ASSET = 20_000;

interface Version {
  orgId: number;
  assetId: number;
  writer: string;
  /** The site's version. */
  version: number;
}

interface Kept extends Version {
  hearing: RecentHearing;
  size: number;
}

/** The statements of the buckets that new scans affect. */
export interface StatedAgain extends Stated {
  /** Buckets. */
  from: number;
  to: number;
}

/** All scans of an asset from a bucket on. */
export class RecentHearing {
  readonly #hearing: Hearing;
  /** The first bucket whose scans are all here. */
  #from: number;
  /** That of the newest scan. */
  #latest: number;
  /** From there on it knows which buckets are settled. */
  readonly #knownFrom: number;
  /** Before there all buckets are settled: only scans within their nearest windows bear on them. */
  #settled: number;
  #tidiedAt: number;

  /** @param from the first bucket whose scans are all in `hearing`. @param latest the newest scan's bucket. */
  constructor(hearing: Hearing, from: number, latest: number) {
    this.#hearing = hearing;
    this.#from = from;
    this.#latest = latest;
    this.#knownFrom = from + NEAREST;
    this.#settled = this.#knownFrom;
    this.#tidiedAt = from;
    this.#tidy();
  }

  get size(): number {
    return this.#hearing.size;
  }

  /** Adds new scans, which are placed at a site of the same version. @returns null if not all that they bear on is here. */
  async add(scans: readonly Seen[], site: Site): Promise<StatedAgain | null> {
    const turns = new Turns();
    let first = Number.POSITIVE_INFINITY;
    for (const scan of scans) {
      const bucket = bucketOf(scan.observedAt);
      first = Math.min(first, bucket);
      this.#latest = Math.max(this.#latest, bucket);
      this.#hearing.site.placeAsIn(site, scan.locationId);
      this.#hearing.add(scan);
      if (turns.isOver) {
        await turns.next();
      }
    }
    // A late one may be in a bucket that had none, and is not settled.
    this.#settled = Math.min(this.#settled, first);
    if (first - FARTHEST < this.#knownFrom) {
      return null;
    }
    this.#settle(first - NEAREST);
    const from = Math.min(first - NEAREST, Math.max(this.#settled, first - FARTHEST));
    // Buckets in which every scan states have no window, but their own scans were forgotten, too.
    if (from < this.#from) {
      return null;
    }
    const stated = { from, to: this.#latest, statements: [], positions: [], cost: 0 };
    for (const bucket of this.#hearing.buckets(stated)) {
      if (this.#hearing.state(bucket, stated).from < this.#from) {
        return null;
      }
      if (turns.isOver) {
        await turns.next();
      }
    }
    this.#tidy();
    return stated;
  }

  /** Moves on to the first bucket that is not settled, at most to `end`. */
  #settle(end: number): void {
    if (end > this.#settled) {
      const open = this.#firstOpen(this.#settled, end - 1);
      this.#settled = open ?? end;
    }
  }

  #firstOpen(from: number, to: number): number | undefined {
    return this.#hearing.buckets({ from, to }).find((bucket) => !this.#hearing.isNarrow(bucket));
  }

  /** Forgets, now and then, what bears on nothing that may change, unless scans come later than some seconds. */
  #tidy(): void {
    if (this.#latest - this.#tidiedAt < EVERY) {
      return;
    }
    this.#tidiedAt = this.#latest;
    const open = this.#firstOpen(this.#settled, this.#latest);
    const before =
      open === undefined
        ? this.#latest - LATENESS - 2 * NEAREST
        : Math.max(open, this.#latest - LATENESS - FARTHEST) - FARTHEST;
    if (before > this.#from) {
      this.#from = before;
      this.#hearing.forget(before);
    }
  }
}

/** Buckets. */
const EVERY = 10;

/** How much later than others scans may come, in buckets: 5 s. */
const LATENESS = 10;
