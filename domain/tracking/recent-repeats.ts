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
   * Told of each batch.
   *
   * @param ofMovedTags organizations with repeats that are stored for the assets that had their tags before.
   */
  note(areFound: boolean, ofMovedTags: Iterable<number> = []): void {
    this.#batchesLeft = areFound ? RUN : Math.max(0, this.#batchesLeft - 1);
    for (const [orgId, batchesLeft] of this.#ofMovedTags) {
      if (batchesLeft > 1) {
        this.#ofMovedTags.set(orgId, batchesLeft - 1);
      } else {
        this.#ofMovedTags.delete(orgId);
      }
    }
    for (const orgId of ofMovedTags) {
      this.#ofMovedTags.set(orgId, RUN);
    }
  }
}

/** Batches after the last repeat. So of each kind at most one batch in so many is recorded twice, and of each organization. */
const RUN = 1_000;
