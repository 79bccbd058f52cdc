import type { Sighting } from '../history/history.ts';

/**
 * By how much the strongest read at one location exceeds those at all others. Takes logarithmic time, as an asset may be
 * read at a thousand locations within a window.
 */
export class Leads {
  readonly #scans: readonly Sighting[];
  /** A power of two: the tree's leaf `leaves + index` is that scan, and node `n` has the children `2n` and `2n + 1`. */
  readonly #leaves: number;
  /** Of each node the strongest read, where that was, and the strongest at any other location. */
  readonly #best: Float64Array;
  readonly #place: Float64Array;
  readonly #second: Float64Array;
  /** At the last read of a location, if that had no strength: the index of the last that had one. Of nodes the least. */
  readonly #known: Float64Array;
  readonly #last = new Map<number, { known: number; unknown: number }>();
  #taken = 0;

  /** @param scans in order of time. */
  constructor(scans: readonly Sighting[]) {
    this.#scans = scans;
    this.#leaves = 2 ** Math.ceil(Math.log2(Math.max(1, scans.length)));
    const nodes = 2 * this.#leaves;
    this.#best = new Float64Array(nodes).fill(Number.NEGATIVE_INFINITY);
    this.#place = new Float64Array(nodes).fill(Number.NaN);
    this.#second = new Float64Array(nodes).fill(Number.NEGATIVE_INFINITY);
    this.#known = new Float64Array(nodes).fill(Number.POSITIVE_INFINITY);
  }

  /**
   * Of the scans from `first` to `index`, for the location of the last; to be asked with ascending `index`.
   *
   * @returns dB; not positive if another location is as strong, -Infinity if one has no strength or there is no other.
   */
  of(index: number, first: number): number {
    for (; this.#taken <= index; this.#taken++) {
      this.#take(this.#taken);
    }
    const place = this.#scans[index]?.locationId;
    const sum = { here: Number.NEGATIVE_INFINITY, there: Number.NEGATIVE_INFINITY, isSilent: false };
    const add = (node: number) => {
      const [best, second] = [this.#best[node] as number, this.#second[node] as number];
      if (this.#place[node] === place) {
        sum.here = Math.max(sum.here, best);
        sum.there = Math.max(sum.there, second);
      } else {
        // A read here that is stronger than all others is the best of its node.
        sum.there = Math.max(sum.there, best);
      }
      sum.isSilent ||= (this.#known[node] as number) < first;
    };
    // Nothing after `index` is in the tree yet.
    let node = this.#leaves + first;
    add(node);
    for (; node > 1; node >>= 1) {
      if (node % 2 === 0) {
        add(node + 1);
      }
    }
    const isKnown = !sum.isSilent && Number.isFinite(sum.here) && Number.isFinite(sum.there);
    return isKnown ? sum.here - sum.there : Number.NEGATIVE_INFINITY;
  }

  #take(index: number): void {
    const { locationId, rssi } = this.#scans[index] as Sighting;
    const last = this.#last.get(locationId) ?? { known: -1, unknown: -1 };
    this.#last.set(locationId, last);
    if (last.unknown >= 0) {
      this.#setKnown(last.unknown, Number.POSITIVE_INFINITY);
      last.unknown = -1;
    }
    if (rssi === null) {
      last.unknown = index;
      this.#setKnown(index, last.known);
    } else {
      last.known = index;
      for (let node = this.#leaves + index; node > 0; node >>= 1) {
        this.#strengthen(node, locationId, rssi);
      }
    }
  }

  #strengthen(node: number, place: number, dBm: number): void {
    const best = this.#best[node] as number;
    if (this.#place[node] === place) {
      this.#best[node] = Math.max(best, dBm);
    } else if (dBm > best) {
      this.#second[node] = best;
      this.#best[node] = dBm;
      this.#place[node] = place;
    } else {
      this.#second[node] = Math.max(this.#second[node] as number, dBm);
    }
  }

  #setKnown(index: number, known: number): void {
    let node = this.#leaves + index;
    this.#known[node] = known;
    for (node >>= 1; node > 0; node >>= 1) {
      this.#known[node] = Math.min(this.#known[2 * node] as number, this.#known[2 * node + 1] as number);
    }
  }
}
