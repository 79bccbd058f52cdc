/** Exponential back-off with jitter: half of each pause is random. */
export class BackOff {
  readonly #first: number;
  readonly #longest: number;
  #attempts = 0;

  /** Milliseconds. */
  constructor({ first, longest }: { first: number; longest: number }) {
    this.#first = first;
    this.#longest = longest;
  }

  /** Milliseconds. */
  next(): number {
    const pause = Math.min(this.#first * 2 ** this.#attempts, this.#longest);
    this.#attempts += 1;
    return pause * (0.5 + Math.random() / 2);
  }

  reset(): void {
    this.#attempts = 0;
  }
}
