/** Pauses between attempts that fail: doubling from the first to the longest, half of each by chance. */
export class BackOff {
  readonly #first: number;
  readonly #longest: number;
  #attempts = 0;

  /** In milliseconds. */
  constructor({ first, longest }: { first: number; longest: number }) {
    this.#first = first;
    this.#longest = longest;
  }

  /** How long to pause now, in milliseconds. */
  next(): number {
    const pause = Math.min(this.#first * 2 ** this.#attempts, this.#longest);
    this.#attempts += 1;
    return pause * (0.5 + Math.random() / 2);
  }

  reset(): void {
    this.#attempts = 0;
  }
}
