/**
 * Records taken from one partition: up to where all are done, so that the offset can be committed. After a rebalance
 * Kafka reads from the committed offset on, so records may come again that are still in work here.
 */
export class TakenOffsets {
  /** The first offset that was not taken. */
  #next: bigint;
  #committable: bigint;
  #committed: bigint;
  readonly #taken: { offset: bigint; isDone: boolean }[] = [];

  constructor(from: bigint) {
    this.#next = from;
    this.#committable = from;
    this.#committed = from;
  }

  get next(): bigint {
    return this.#next;
  }

  /** How many are taken and not passed. */
  get size(): number {
    return this.#taken.length;
  }

  /** @returns a function to call when its message is recorded; null if it was taken before. */
  take(offset: bigint): (() => void) | null {
    if (offset < this.#next) {
      return null;
    }
    const entry = { offset, isDone: false };
    this.#taken.push(entry);
    this.#next = offset + 1n;
    return () => {
      entry.isDone = true;
      this.#pass();
    };
  }

  /** The offset to commit; null if it is committed. */
  toCommit(): bigint | null {
    return this.#committable > this.#committed ? this.#committable : null;
  }

  committed(offset: bigint): void {
    this.#committed = offset > this.#committed ? offset : this.#committed;
  }

  #pass(): void {
    const end = this.#taken.findIndex(({ isDone }) => !isDone);
    const passed = this.#taken.splice(0, end === -1 ? this.#taken.length : end);
    const last = passed.at(-1);
    this.#committable = last === undefined ? this.#committable : last.offset + 1n;
  }
}
