import { Turns } from '../../../base/each-in-turns.ts';
import { greatestOf, leastOf } from '../../../base/extremes.ts';
import type { AssetRef } from '../history/asset-ref.ts';
import type { Site } from './site.ts';
import {
  type Buckets,
  bucketOf,
  FARTHEST,
  type Hearing,
  NEAREST,
  type Seen,
  type Stated,
} from './stated-locations.ts';

/**
 * Scans of assets, as this process recorded them, so that they need not be loaded for each new scan: the newest ones, and
 * those around the last late ones, since a reader that was cut off sends what it has in order. They are complete as long as
 * nobody else has written the asset's position: recording or changing scans of an asset writes it, and each version of the
 * row names its transaction.
 */
export class RecentHearings {
  readonly #most: number;
  readonly #of = new Map<number, Shelf>();
  #bytes = 0;

  constructor(mostBytes = MOST_BYTES) {
    this.#most = mostBytes;
  }

  /** @param asset with the transaction that wrote its position last. */
  take(asset: Written, site: Site): Remembered {
    return { newest: this.#take('newest', asset, site), late: this.#take('late', asset, site) };
  }

  /** @param asset with this transaction, which writes its position. */
  keep(asset: Written, { newest, late }: Remembered): void {
    if (newest !== null) {
      this.#keep('newest', asset, newest);
    }
    // What lies in both would have to be added to both.
    if (late !== null && (newest === null || late.to < newest.from)) {
      this.#keep('late', asset, late);
    }
  }

  #take(which: keyof Remembered, { orgId, assetId, writer }: Written, site: Site): RecentHearing | null {
    const kept = this.#remove(orgId, `${which} ${assetId}`);
    return kept?.writer === writer && kept.hearing.moveTo(site) ? kept.hearing : null;
  }

  #keep(which: keyof Remembered, { orgId, assetId, writer }: Written, hearing: RecentHearing): void {
    const key = `${which} ${assetId}`;
    this.#remove(orgId, key);
    const { bytes } = hearing;
    if (bytes > MOST_OF_ASSET || !this.#hasPlace(orgId, hearing)) {
      return;
    }
    hearing.hasBeenKept = true;
    const shelf = this.#of.get(orgId) ?? { of: new Map(), bytes: 0, newcomers: 0 };
    shelf.of.set(key, { writer, hearing, bytes });
    shelf.bytes += bytes;
    this.#of.set(orgId, shelf);
    this.#bytes += bytes;
    while (this.#bytes > this.#most) {
      const largest = this.#largest();
      this.#remove(largest, this.#of.get(largest)?.of.keys().next().value as string);
    }
  }

  /**
   * Of an organization that has the most, few newcomers push others out: where more assets are read in turn than fit, each
   * would be pushed out just before its turn.
   */
  #hasPlace(orgId: number, { bytes, hasBeenKept }: RecentHearing): boolean {
    const shelf = this.#of.get(orgId);
    if (
      hasBeenKept ||
      shelf === undefined ||
      this.#bytes + bytes <= this.#most ||
      this.#largest() !== orgId
    ) {
      return true;
    }
    shelf.newcomers += 1;
    return shelf.newcomers % ADMITTED === 0;
  }

  /** The organization with the most bytes. */
  #largest(): number {
    let [largest, most] = [Number.NaN, 0];
    for (const [orgId, { bytes }] of this.#of) {
      if (bytes > most) {
        [largest, most] = [orgId, bytes];
      }
    }
    return largest;
  }

  #remove(orgId: number, key: string): Kept | undefined {
    const shelf = this.#of.get(orgId);
    const kept = shelf?.of.get(key);
    if (shelf !== undefined && kept !== undefined) {
      shelf.of.delete(key);
      shelf.bytes -= kept.bytes;
      this.#bytes -= kept.bytes;
      if (shelf.of.size === 0) {
        this.#of.delete(orgId);
      }
    }
    return kept;
  }
}

/** Of all assets; one that twelve antennas each read twice a second takes some 400,000. */
const MOST_BYTES = 256_000_000;

const MOST_OF_ASSET = 10_000_000;

/** One of so many newcomers is admitted. */
const ADMITTED = 8;

/** Of one asset. */
export interface Remembered {
  newest: RecentHearing | null;
  /** Earlier than the newest ones. */
  late: RecentHearing | null;
}

/** Of an organization. */
interface Shelf {
  /** The last used last. */
  of: Map<string, Kept>;
  bytes: number;
  /** How many would have pushed others out. */
  newcomers: number;
}

interface Written extends AssetRef {
  writer: string;
}

interface Kept {
  writer: string;
  hearing: RecentHearing;
  bytes: number;
}

interface Lacking {
  /** A bucket; it suffices if those of `narrow` are so. */
  to: number;
  narrow: Buckets;
  /** Suffices else; null if nothing does. */
  wideTo: number | null;
}

/** The statements of the buckets that new scans affect. */
export interface StatedAgain extends Stated {
  /** Buckets. */
  from: number;
  to: number;
}

/** All scans of an asset from a bucket on, up to the newest or another bucket. */
export class RecentHearing {
  /** Whether it had a place in memory before. */
  hasBeenKept = false;
  readonly #hearing: Hearing;
  /** The first bucket whose scans are all here. */
  #from: number;
  /** The last one; endless if it grows with the newest scan. */
  #to: number;
  /** That of the newest scan that was added. */
  #latest: number;
  /** How many buckets later than others scans may come. */
  readonly #lateness: number;
  /** From there on it knows which buckets are settled, and up to there which are narrow. */
  #knownFrom: number;
  #knownTo: number;
  /** Before there all buckets are settled: only scans within their nearest windows bear on them. */
  #settled: number;
  #tidiedAt: number;
  /** Up to `#to`, from here on the scans that are added next are here. */
  #newFrom: number;

  /**
   * @param from the first bucket whose scans are all in `hearing`, and `to` the last.
   * @param latest the bucket of the last of the scans that were new, and `first` that of the first.
   * @param narrow beyond those, buckets that are known to be narrow; with it, the new scans are still to be added.
   */
  constructor(
    hearing: Hearing,
    { from, to, latest, first }: Record<'from' | 'to' | 'latest' | 'first', number>,
    narrow?: Buckets,
  ) {
    this.#hearing = hearing;
    this.#newFrom = narrow === undefined ? Number.POSITIVE_INFINITY : from;
    this.#from = from;
    this.#to = to;
    this.#latest = latest;
    this.#lateness = Math.min(MOST_LATENESS, latest - first + LATENESS);
    this.#knownFrom = narrow?.from ?? from + NEAREST;
    this.#knownTo = Math.max(to - NEAREST, narrow?.to ?? 0);
    this.#settled = from + NEAREST;
    this.#tidiedAt = from;
    this.#tidy();
  }

  get bytes(): number {
    return this.#hearing.bytes;
  }

  get from(): number {
    return this.#from;
  }

  get to(): number {
    return this.#to;
  }

  /** As {@link Hearing.moveTo}. */
  moveTo(site: Site): boolean {
    return this.#hearing.moveTo(site);
  }

  has(scan: Seen): boolean {
    const bucket = bucketOf(scan.observedAt);
    return bucket >= this.#from && bucket <= this.#to;
  }

  /**
   * @param end a bucket before which it may grow.
   * @returns how far it has to grow for new scans to bear on nothing later; null if it need not, or cannot.
   */
  lacking(scans: readonly Seen[], end = Number.POSITIVE_INFINITY): Lacking | null {
    const buckets = scans.map(({ observedAt }) => bucketOf(observedAt));
    const last = greatestOf(buckets.filter((bucket) => bucket >= this.#from && bucket < end));
    const to = Math.max(this.#to, Math.min(last + 2 * NEAREST + AHEAD, end - 1));
    return this.#isKnownAfter(last) || last > this.#to + FARTHEST || last + 2 * NEAREST > to
      ? null
      : {
          to,
          narrow: { from: this.#knownTo + 1, to: to + FARTHEST - 2 * NEAREST },
          wideTo: last + FARTHEST + NEAREST < end ? Math.min(to + FARTHEST - NEAREST, end - 1) : null,
        };
  }

  /** Whether the buckets that a scan may affect are here, or narrow. */
  #isKnownAfter(bucket: number): boolean {
    return bucket + 2 * NEAREST <= this.#to && bucket + FARTHEST <= this.#knownTo;
  }

  /** Takes in all scans that follow, the new ones included, up to a bucket; placed at a site of the same layout. */
  async extend(
    scans: readonly Seen[],
    site: Site,
    { to, knownTo }: { to: number; knownTo: number },
  ): Promise<void> {
    await this.#hear(scans, site, new Turns());
    this.#newFrom = this.#to + 1;
    this.#to = to;
    this.#knownTo = knownTo;
  }

  /**
   * Adds new scans, at least one, which are placed at a site of the same layout.
   *
   * @returns null if not all that they bear on is here.
   */
  async add(scans: readonly Seen[], site: Site, turns = new Turns()): Promise<StatedAgain | null> {
    await this.#hear(
      scans.filter(({ observedAt }) => bucketOf(observedAt) < this.#newFrom),
      site,
      turns,
    );
    this.#newFrom = Number.POSITIVE_INFINITY;
    const buckets = scans.map(({ observedAt }) => bucketOf(observedAt));
    const [first, last] = [leastOf(buckets), greatestOf(buckets)];
    this.#latest = Math.max(this.#latest, last);
    // A late one may be in a bucket that had none, and is not settled.
    this.#settled = Math.min(this.#settled, first);
    if (first - FARTHEST < this.#knownFrom || !this.#isKnownAfter(last)) {
      return null;
    }
    this.#settle(first - NEAREST);
    const from = Math.min(first - NEAREST, Math.max(this.#settled, first - FARTHEST));
    // Buckets in which every scan states have no window, but their own scans were forgotten, too.
    if (from < this.#from) {
      return null;
    }
    const to = this.#lastOpen(last + NEAREST, Math.min(last + FARTHEST, this.#to - NEAREST));
    const stated = { from, to, statements: [], positions: [], cost: 0 };
    if (!(await this.#state(stated, { from, to }, turns))) {
      return null;
    }
    this.#tidy();
    return stated;
  }

  /**
   * States buckets after those that new scans affect, at most `count`, in which only the stay before them has changed.
   *
   * @returns false if there are none, or not all that bears on them is here.
   */
  async goOn(stated: StatedAgain, count: number, turns: Turns): Promise<boolean> {
    const from = stated.to + 1;
    // The newest scan is here if it has no other end.
    const to = Math.min(stated.to + count, Number.isFinite(this.#to) ? this.#to - NEAREST : this.#latest);
    stated.to = to;
    return from <= to && (await this.#state(stated, { from, to }, turns));
  }

  /** @returns false if not all that bears on these buckets is here. */
  async #state(stated: StatedAgain, buckets: Buckets, turns: Turns): Promise<boolean> {
    for (const bucket of this.#hearing.buckets(buckets)) {
      const window = this.#hearing.state(bucket, stated);
      if (window.from < this.#from || window.to > this.#to) {
        return false;
      }
      if (turns.isOver) {
        await turns.next();
      }
    }
    return true;
  }

  async #hear(scans: readonly Seen[], site: Site, turns: Turns): Promise<void> {
    for (const scan of scans) {
      this.#hearing.site.placeAsIn(site, scan.locationId);
      this.#hearing.add(scan);
      if (turns.isOver) {
        await turns.next();
      }
    }
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

  #lastOpen(from: number, to: number): number {
    const open = this.#hearing.buckets({ from, to }).findLast((bucket) => !this.#hearing.isNarrow(bucket));
    return open ?? from;
  }

  /** Forgets, now and then, what bears on nothing that may change, unless scans come later than usual. */
  #tidy(): void {
    if (this.#latest - this.#tidiedAt < EVERY) {
      return;
    }
    this.#tidiedAt = this.#latest;
    const open = this.#firstOpen(this.#settled, this.#latest);
    this.#settled = open ?? Math.max(this.#settled, this.#latest);
    const before =
      open === undefined
        ? this.#latest - this.#lateness - 2 * NEAREST
        : Math.max(open, this.#latest - this.#lateness - FARTHEST) - FARTHEST;
    if (before > this.#from) {
      this.#from = before;
      this.#hearing.forget(before);
      // Scans that come later than usual may bear on what is forgotten.
      if (open !== undefined && open < before) {
        this.#knownFrom = before + NEAREST;
        this.#settled = Math.max(this.#settled, this.#knownFrom);
      }
    }
  }
}

/** Buckets that are loaded at a time. */
const AHEAD = 20;

/** Buckets. */
const EVERY = 10;

/** How much later than others scans may come, in buckets: 5 s, and up to a minute more where they are found to. */
export const LATENESS = 10;
export const MOST_LATENESS = LATENESS + 2 * FARTHEST;
