import { MAX_WINDOW } from './settings.ts';
import type { TriedAsset } from './try-on-assets.ts';
import type { Move } from './try-smoothing.ts';

/** Moves from one location to another: `kept + redated + removed` there are now, `kept + redated + added` there would be. */
export interface PairCounts {
  kept: number;
  /** Moves that disappear and appear again at another time, no more than the widest window away. */
  redated: number;
  removed: number;
  added: number;
}

export interface Pair extends PairCounts {
  fromLocationId: number;
  toLocationId: number;
}

/** Locations that move into each other in a site; what is beyond is counted together. */
const MOST_PAIRS = 10_000;

/** Counts what a trial finds by pair of locations, as it comes. */
export class PairTally {
  readonly #pairs = new Map<string, Pair>();
  readonly #others: PairCounts = { kept: 0, redated: 0, removed: 0, added: 0 };
  readonly #mostPairs: number;
  #assetId: number | null = null;
  /** Of the asset, by pair: what disappears, or appears, with no counterpart yet. One of the two is empty. */
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

  /** Those that change most first, then those with most moves. */
  pairs(): Pair[] {
    const changed = ({ redated, removed, added }: Pair) => redated + removed + added;
    return [...this.#pairs.values()].toSorted((a, b) => changed(b) - changed(a) || b.kept - a.kept);
  }

  /** Of the pairs that {@link pairs} leaves out. */
  others(): PairCounts {
    return this.#others;
  }

  /** Takes the nearest counterpart that came before, if there is one within the widest window. */
  #change(move: Move, isAdded: boolean): void {
    const name = nameOf(move);
    const counts = this.#countsOf(move);
    const unmatched = this.#unmatched.get(name);
    while ((unmatched?.times[0] ?? move.observedAt) < move.observedAt - MAX_WINDOW) {
      unmatched?.times.shift();
    }
    if (unmatched === undefined || unmatched.times.length === 0) {
      this.#unmatched.set(name, { isAdded, times: [move.observedAt] });
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

  #countsOf({ fromLocationId, toLocationId }: Move): PairCounts {
    const name = nameOf({ fromLocationId, toLocationId });
    const known = this.#pairs.get(name);
    if (known !== undefined || this.#pairs.size >= this.#mostPairs) {
      return known ?? this.#others;
    }
    const pair = { fromLocationId, toLocationId, kept: 0, redated: 0, removed: 0, added: 0 };
    this.#pairs.set(name, pair);
    return pair;
  }
}

function nameOf({ fromLocationId, toLocationId }: Pick<Move, 'fromLocationId' | 'toLocationId'>): string {
  return `${fromLocationId} ${toLocationId}`;
}
