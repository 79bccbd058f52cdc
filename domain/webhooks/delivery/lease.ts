/** The holder stops so many milliseconds early, since clocks run at unequal speed. */
const MARGIN = 500;

/** A lease to deliver, as this process knows it: until it ends no other process claims its webhooks. */
export class Lease {
  readonly #onLost: () => void;
  #until = Number.NEGATIVE_INFINITY;
  #expiry: NodeJS.Timeout | undefined;

  /** @param onLost called when it expires because it was not renewed in time. */
  constructor(onLost: () => void) {
    this.#onLost = onLost;
  }

  isHeld(): boolean {
    return performance.now() < this.#until;
  }

  /**
   * @param asked `performance.now()` before the database was asked for it.
   * @param seconds by the database's clock.
   */
  extend(asked: number, seconds: number): void {
    this.#until = asked + seconds * 1_000 - MARGIN;
    clearTimeout(this.#expiry);
    this.#expiry = setTimeout(this.#onLost, Math.max(0, this.#until - performance.now()));
  }

  /** Ends it without calling `onLost`. */
  end(): void {
    clearTimeout(this.#expiry);
  }
}
