import { WINDOW_SECONDS } from '../../../domain/listening/heard.ts';

/** How many of something there were in each of the last seconds, and how strong the strongest was. */
export class HeardCounts {
  readonly #seconds = new Float64Array(WINDOW_SECONDS).fill(Number.NEGATIVE_INFINITY);
  readonly #counts = new Uint32Array(WINDOW_SECONDS);
  readonly #strongest = new Float64Array(WINDOW_SECONDS);

  add(second: number, rssi: number | null = null): void {
    const slot = second % WINDOW_SECONDS;
    if (this.#seconds[slot] !== second) {
      this.#seconds[slot] = second;
      this.#counts[slot] = 0;
      this.#strongest[slot] = Number.NEGATIVE_INFINITY;
    }
    this.#counts[slot] = (this.#counts[slot] ?? 0) + 1;
    this.#strongest[slot] = Math.max(this.#strongest[slot] ?? 0, rssi ?? Number.NEGATIVE_INFINITY);
  }

  /** After that second. */
  since(second: number): number {
    let sum = 0;
    for (let slot = 0; slot < WINDOW_SECONDS; slot++) {
      sum += (this.#seconds[slot] ?? 0) > second ? (this.#counts[slot] ?? 0) : 0;
    }
    return sum;
  }

  strongestSince(second: number): number | null {
    let strongest = Number.NEGATIVE_INFINITY;
    for (let slot = 0; slot < WINDOW_SECONDS; slot++) {
      if ((this.#seconds[slot] ?? 0) > second) {
        strongest = Math.max(strongest, this.#strongest[slot] ?? strongest);
      }
    }
    return strongest === Number.NEGATIVE_INFINITY ? null : strongest;
  }
}
