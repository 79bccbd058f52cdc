import type { Micros } from '../../base/instant.ts';
import type { LocatedScan } from './located-scan.ts';
import { isNewest, latest, type Touched } from './touched.ts';

/**
 * When assets were last seen, as this process recorded it: which scans are probably newer than all of their assets, and can be
 * written before positions are locked. Batches that share assets, as those of readers that stand side by side do, wait
 * for each other from there on only.
 *
 * It may be wrong, as others record too. Then nothing is: the scan is worked in as a late one, or its batch is recorded anew.
 * Of an asset where it was wrong nothing is written ahead for a while.
 */
export class RecentlySeen {
  #assets = new Map<number, Map<number, Sight>>();
  #size = 0;
  #batchesToWait = 0;

  /** Those of a batch to write ahead. */
  choose(scans: readonly LocatedScan[]): LocatedScan[] {
    if (this.#batchesToWait > 0) {
      this.#batchesToWait -= 1;
      return [];
    }
    return scans.filter((scan) => this.#isAhead(scan));
  }

  #isAhead({ orgId, assetId, observedAt, scan }: LocatedScan): boolean {
    const sight = this.#assets.get(orgId)?.get(assetId);
    if (sight === undefined || scan.source.kind !== 'reader') {
      return false;
    }
    if (sight.scansToWait > 0) {
      sight.scansToWait -= 1;
      return false;
    }
    return observedAt > sight.lastSeen;
  }

  /** One that was written ahead is stored already. It would be found once in many batches only. */
  noteRepeat(): void {
    this.#batchesToWait = BATCHES_AFTER_REPEAT;
  }

  /** @param ahead those of their scans that were written ahead. */
  note(touched: readonly Touched[], ahead: ReadonlySet<LocatedScan>): void {
    for (const { position, scans, isInOrder } of touched) {
      const isOvertaken =
        !isInOrder && scans.some((scan) => ahead.has(scan) && !isNewest(position, scan.observedAt));
      const lastSeen = Math.max(position.lastSeen ?? 0, latest(scans));
      this.#set(position.orgId, position.assetId, lastSeen, isOvertaken);
    }
  }

  #set(orgId: number, assetId: number, lastSeen: Micros, isOvertaken: boolean): void {
    const known = this.#assets.get(orgId)?.get(assetId);
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
    if (this.#size === MOST_ASSETS) {
      this.#assets = new Map();
      this.#size = 0;
    }
    const ofOrganization = this.#assets.get(orgId);
    if (ofOrganization === undefined) {
      this.#assets.set(orgId, new Map([[assetId, sight]]));
    } else {
      ofOrganization.set(assetId, sight);
    }
    this.#size += 1;
  }
}

interface Sight {
  lastSeen: Micros;
  /** Before one is written ahead again. */
  scansToWait: number;
}

/** Some 100 bytes each. */
const MOST_ASSETS = 100_000;

const SCANS_AFTER_OVERTAKEN = 100;

/** So that redeliveries have at most one batch in so many recorded twice. */
const BATCHES_AFTER_REPEAT = 1_000;
