import type { Micros } from '../../base/instant.ts';
import { AssetTruth } from './asset-truth.ts';
import type { Expected } from './expected.ts';
import { countMessage, NO_COUNTS, type ReaderCounts } from './reader-truth.ts';
import type { Span } from './span.ts';

export interface TruthOptions {
  /** External keys of all that is watched. */
  assets: readonly string[];
  /** Names, and what each has counted before. */
  readers: ReadonlyMap<string, ReaderCounts>;
  /** Ids of the locations by external key, or numbers in the same order. */
  rank(location: string): number;
  /** How far the time of a reception may lie outside of the time between sending and acknowledgement. */
  tolerance: Micros;
}

/** What is true of a site, from what was published there and acknowledged. */
export class Truth {
  readonly assets: ReadonlyMap<string, AssetTruth>;
  readonly readers: ReadonlyMap<string, { counts: ReaderCounts; isExact: boolean }>;
  readonly #tolerance: Micros;

  constructor({ assets, readers, rank, tolerance }: TruthOptions) {
    this.assets = new Map(assets.map((key) => [key, new AssetTruth(rank)]));
    this.readers = new Map(
      [...readers].map(([name, before]) => [name, { counts: { ...NO_COUNTS, ...before }, isExact: true }]),
    );
    this.#tolerance = tolerance;
  }

  /** @param time from before it was sent to after it was acknowledged, by this machine's clock. */
  acknowledged(message: Expected, isRepeat: boolean, time: Span): void {
    const counted = this.readers.get(message.reader.name);
    if (counted !== undefined) {
      countMessage(counted.counts, message, isRepeat);
    }
    if (isRepeat) {
      return;
    }
    const received = {
      earliest: time.earliest - this.#tolerance,
      latest: time.latest + this.#tolerance,
    };
    for (const { asset, location, at, rssi } of message.placed) {
      const span = at === null ? received : { earliest: at, latest: at };
      this.assets.get(asset)?.add({ ...span, location, rssi });
    }
  }

  /** It was sent, and may have arrived or not. */
  unanswered(message: Expected, isRepeat: boolean): void {
    this.lost(message.reader.name);
    for (const { asset } of isRepeat ? [] : message.placed) {
      this.assets.get(asset)?.doubt();
    }
  }

  /** Some of what a reader sent may have arrived more often than it knows: its connection broke. */
  lost(reader: string): void {
    const counted = this.readers.get(reader);
    if (counted !== undefined) {
      counted.isExact = false;
    }
  }

  /** Nothing older than `before` is still to come: what is older need not be held. */
  settle(before: Micros): void {
    for (const asset of this.assets.values()) {
      asset.settle(before);
    }
  }
}
