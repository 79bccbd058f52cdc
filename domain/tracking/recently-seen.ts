import type { Micros } from '../../base/instant.ts';
import type { LocatedScan } from './located-scan.ts';
import { isNewest, latest, type Touched } from './positions.ts';

/**
 * When assets were last seen, as this process recorded it: which scans are probably newer than all of their assets, and can be
 * written before positions are locked. Batches that share assets, as those of readers that stand side by side do, wait
 * for each other from there on only.
 *
 * It may be wrong, as others record too. Then nothing is: the scan is worked in as a late one, or its batch is recorded again.
 * Of an asset where it was wrong nothing is written ahead for a while.
 */
export class RecentlySeen {
  #organizations = new Map<number, OfOrganization>();
  #assets = 0;
  #batches = 0;

  /** The scans of a batch to write ahead. */
  choose(scans: readonly LocatedScan[]): LocatedScan[] {
    this.#batches += 1;
    return scans.filter((scan) => this.#isAhead(scan));
  }

  /** Whether all of their assets were seen, and so have positions. */
  hasAll(scans: readonly LocatedScan[]): boolean {
    return scans.every(({ orgId, assetId }) => this.#organizations.get(orgId)?.sights.has(assetId));
  }

  #isAhead({ orgId, assetId, observedAt, scan }: LocatedScan): boolean {
    const organization = this.#organizations.get(orgId);
    const sight = organization?.sights.get(assetId);
    if (organization === undefined || sight === undefined || scan.source.kind !== 'reader') {
      return false;
    }
    if (organization.waitsUntil >= this.#batches) {
      return false;
    }
    if (sight.scansToWait > 0) {
      sight.scansToWait -= 1;
      return false;
    }
    return observedAt > sight.lastSeen;
  }

  /**
   * Reports scans of a batch that are stored already. Each one that looks newer than its asset would have its whole
   * batch recorded again: for an organization this happens at most once in many batches.
   */
  noteRepeats(scans: Iterable<LocatedScan>): void {
    for (const { orgId, assetId, observedAt } of scans) {
      const organization = this.#organizations.get(orgId);
      const sight = organization?.sights.get(assetId);
      if (organization !== undefined && sight !== undefined && observedAt > sight.lastSeen) {
        organization.waitsUntil = this.#batches + BATCHES_AFTER_REPEAT;
      }
    }
  }

  /** @param ahead the scans that were written ahead. */
  note(touched: readonly Touched[], ahead: ReadonlySet<LocatedScan>): void {
    for (const { position, scans, isInOrder } of touched) {
      const isOvertaken =
        !isInOrder && scans.some((scan) => ahead.has(scan) && !isNewest(position, scan.observedAt));
      const lastSeen = Math.max(position.lastSeen ?? 0, latest(scans));
      this.#set(position.orgId, position.assetId, lastSeen, isOvertaken);
    }
  }

  #set(orgId: number, assetId: number, lastSeen: Micros, isOvertaken: boolean): void {
    const known = this.#organizations.get(orgId)?.sights.get(assetId);
    const sight = known ?? { lastSeen, scansToWait: 0 };
    sight.lastSeen = lastSeen;
    if (isOvertaken) {
      sight.scansToWait = SCANS_AFTER_OVERTAKEN;
    }
    if (known === undefined) {
      this.#add(orgId, assetId, sight);
    }
  }

  #add(orgId: number, assetId: number, sight: Sight): void {
    if (this.#assets === MOST_ASSETS) {
      this.#forgetLargest();
    }
    const organization = this.#organizations.get(orgId);
    if (organization === undefined) {
      this.#organizations.set(orgId, { sights: new Map([[assetId, sight]]), waitsUntil: 0 });
    } else {
      organization.sights.set(assetId, sight);
    }
    this.#assets += 1;
  }

  /**
   * Drops whole organizations, so that one with many assets pushes out nobody else's; many at once, because sorting is
   * expensive.
   */
  #forgetLargest(): void {
    const bySize = [...this.#organizations].sort(([, a], [, b]) => b.sights.size - a.sights.size);
    for (const [orgId, { sights }] of bySize) {
      this.#organizations.delete(orgId);
      this.#assets -= sights.size;
      if (this.#assets <= MOST_ASSETS / 2) {
        return;
      }
    }
  }
}

interface OfOrganization {
  sights: Map<number, Sight>;
  /** The number of the last batch that writes nothing ahead. */
  waitsUntil: number;
}

interface Sight {
  lastSeen: Micros;
  /** Before one is written ahead again. */
  scansToWait: number;
}

/** Some 100 bytes each. */
const MOST_ASSETS = 100_000;

const SCANS_AFTER_OVERTAKEN = 100;

/** So that redeliveries make at most one batch in this many recorded twice. */
const BATCHES_AFTER_REPEAT = 1_000;

/**
 * Whether stored scans are to be expected once more. Redelivery is rare and comes in runs: a batch with a repeat that was
 * not looked up is begun anew, and to look for repeats took half of what a late scan that changes nothing takes the database.
 */
export class RecentRepeats {
  #batchesLeft = 0;
  readonly #ofMovedTags = new Map<number, number>();

  /** Of late scans, for the assets that have their tags now. */
  areExpected(): boolean {
    return this.#batchesLeft > 0;
  }

  /** Also for assets that had the tags before. Only the scans of `orgId` itself are looked up for them, late or not. */
  areOfMovedTags(orgId: number): boolean {
    return this.#ofMovedTags.has(orgId);
  }

  /**
   * Call after each batch.
   *
   * @param ofMovedTags organizations with repeats that are stored for the assets that had their tags before.
   */
  note(areFound: boolean, ofMovedTags: Iterable<number> = []): void {
    this.#batchesLeft = areFound ? RUN : Math.max(0, this.#batchesLeft - 1);
    countDown(this.#ofMovedTags);
    for (const orgId of ofMovedTags) {
      this.#ofMovedTags.set(orgId, RUN);
    }
  }
}

function countDown(batchesLeft: Map<number, number>): void {
  for (const [orgId, left] of batchesLeft) {
    if (left > 1) {
      batchesLeft.set(orgId, left - 1);
    } else {
      batchesLeft.delete(orgId);
    }
  }
}

/** Batches after the last repeat. So of each kind at most one batch in so many is recorded twice, and of each organization. */
const RUN = 1_000;
