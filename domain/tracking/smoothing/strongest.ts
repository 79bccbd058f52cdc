import { firstIndex } from '../../../base/first-index.ts';
import type { Micros } from '../../../base/instant.ts';

/**
 * The strongest read of a location since any time, as a monotonic queue: reads come in order of time, and each removes
 * those before it that are no stronger. So strengths fall with time, and the first read since a time is the strongest.
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

  /** dBm; -Infinity if no read had an RSSI; null if there was no read. */
  since(start: Micros): number | null {
    const first = firstIndex(
      0,
      this.#reads.length,
      (index) => (this.#reads[index]?.observedAt ?? start) >= start,
    );
    return this.#reads[first]?.dBm ?? null;
  }
}
