/** Exponential back-off from the first to the longest pause, half of each random (jitter). */
export class BackOff {
  readonly #first: number;
  readonly #longest: number;
  #attempts = 0;

  /** Milliseconds. */
  constructor({ first, longest }: { first: number; longest: number }) {
    this.#first = first;
    this.#longest = longest;
  }

  /** The next pause in milliseconds. */
  next(): number {
    const pause = Math.min(this.#first * 2 ** this.#attempts, this.#longest);
    this.#attempts += 1;
    return pause * (0.5 + Math.random() / 2);
  }

  reset(): void {
    this.#attempts = 0;
  }
}
