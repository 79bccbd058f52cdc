/**
 * Whether stored scans are to be expected once more. Redelivery is rare and comes in runs: a batch with a repeat that was
 * not looked up is begun anew, and to look for repeats took half of what a late scan that changes nothing takes the database.
 */
export class RecentRepeats {
  #batchesLeft = 0;

  areExpected(): boolean {
    return this.#batchesLeft > 0;
  }

  /** Told of each batch. */
  note(areFound: boolean): void {
    this.#batchesLeft = areFound ? RUN : Math.max(0, this.#batchesLeft - 1);
  }
}

/** Batches after the last repeat. So at most one batch in so many is recorded twice. */
const RUN = 1_000;
