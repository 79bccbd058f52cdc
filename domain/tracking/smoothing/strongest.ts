import { firstIndex } from '../../../base/first-index.ts';
import type { Micros } from '../../../base/instant.ts';

/**
 * The strongest of a place's reads since any time up to now, while reads come in order of time. It keeps only reads
 * that none after them was as strong as, so their strength falls with time and the first since a time is the answer.
 */
export class StrongestSince {
  readonly #reads: { observedAt: Micros; dBm: number }[] = [];

  add(observedAt: Micros, rssi: number | null): void {
    const dBm = rssi ?? Number.NEGATIVE_INFINITY;
    while ((this.#reads.at(-1)?.dBm ?? Number.POSITIVE_INFINITY) <= dBm) {
      this.#reads.pop();
    }
    this.#reads.push({ observedAt, dBm });
  }

  /** dBm; minus infinity if none had a strength; null if there was no read. */
  since(start: Micros): number | null {
    const first = firstIndex(
      0,
      this.#reads.length,
      (index) => (this.#reads[index]?.observedAt ?? start) >= start,
    );
    return this.#reads[first]?.dBm ?? null;
  }
}
