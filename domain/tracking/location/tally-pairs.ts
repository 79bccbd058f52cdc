import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { TriedAsset } from './try-on-assets.ts';
import type { TriedMove } from './try-setting.ts';

/** Moves from one location to another: `kept + redated + removed` now, `kept + redated + added` with the setting. */
export interface PairCounts {
  kept: number;
  /** Removed and added again at another time, at most {@link NEAR} away. */
  redated: number;
  removed: number;
  added: number;
}

export interface Pair extends PairCounts {
  fromLocationId: number;
  toLocationId: number;
}

/** A move by strength may be said that much later than by the first scan, or earlier. */
const NEAR: Micros = 60 * MICROS_PER_SECOND;

/** Pairs beyond this number are counted together. */
const MOST_PAIRS = 10_000;

export class PairTally {
  readonly #pairs = new Map<string, Pair>();
  readonly #others: PairCounts = { kept: 0, redated: 0, removed: 0, added: 0 };
  readonly #mostPairs: number;
  #assetId: number | null = null;
  /** By pair, of the current asset: times of removed, or added, moves without a counterpart. Never both. */
  #unmatched = new Map<string, { isAdded: boolean; times: number[] }>();

  constructor(mostPairs = MOST_PAIRS) {
    this.#mostPairs = mostPairs;
  }

  add({ assetId, kept, disappearing, appearing }: TriedAsset): void {
    if (assetId !== this.#assetId) {
      this.#assetId = assetId;
      this.#unmatched = new Map();
    }
    for (const move of kept) {
      this.#countsOf(move).kept += 1;
    }
    const changes = [
      ...disappearing.map((move) => ({ move, isAdded: false })),
      ...appearing.map((move) => ({ move, isAdded: true })),
    ].toSorted((a, b) => a.move.observedAt - b.move.observedAt);
    for (const { move, isAdded } of changes) {
      this.#change(move, isAdded);
    }
  }

  /** Most changed first, then those with most moves. */
  pairs(): Pair[] {
    const changed = ({ redated, removed, added }: Pair) => redated + removed + added;
    return [...this.#pairs.values()].toSorted((a, b) => changed(b) - changed(a) || b.kept - a.kept);
  }

  others(): PairCounts {
    return this.#others;
  }

  /** Matches the move with its nearest earlier counterpart within {@link NEAR}. */
  #change(move: TriedMove, isAdded: boolean): void {
    const key = keyOf(move);
    const counts = this.#countsOf(move);
    const unmatched = this.#unmatched.get(key);
    while ((unmatched?.times[0] ?? move.observedAt) < move.observedAt - NEAR) {
      unmatched?.times.shift();
    }
    if (unmatched === undefined || unmatched.times.length === 0) {
      this.#unmatched.set(key, { isAdded, times: [move.observedAt] });
    } else if (unmatched.isAdded === isAdded) {
      unmatched.times.push(move.observedAt);
    } else {
      unmatched.times.pop();
      counts[unmatched.isAdded ? 'added' : 'removed'] -= 1;
      counts.redated += 1;
      return;
    }
    counts[isAdded ? 'added' : 'removed'] += 1;
  }

  #countsOf({ fromLocationId, toLocationId }: TriedMove): PairCounts {
    const key = keyOf({ fromLocationId, toLocationId });
    const known = this.#pairs.get(key);
    if (known !== undefined || this.#pairs.size >= this.#mostPairs) {
      return known ?? this.#others;
    }
    const pair = { fromLocationId, toLocationId, kept: 0, redated: 0, removed: 0, added: 0 };
    this.#pairs.set(key, pair);
    return pair;
  }
}

function keyOf({ fromLocationId, toLocationId }: Pick<TriedMove, 'fromLocationId' | 'toLocationId'>): string {
  return `${fromLocationId} ${toLocationId}`;
}
