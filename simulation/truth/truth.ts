import type { Micros } from '../../base/instant.ts';
import { AssetTruth } from './asset-truth.ts';
import type { Expected } from './expected.ts';
import { countMessage, NO_COUNTS, type ReaderCounts } from './reader-truth.ts';
import type { Span } from './span.ts';
import { type DecidedSite, StatedTruth } from './stated-truth.ts';

export interface TruthOptions {
  assets: readonly string[];
  /** By name, with the counters before the run. */
  readers: ReadonlyMap<string, ReaderCounts>;
  /** Ids of the locations by external key, or numbers of the same order. */
  rank(location: string): number;
  /** How far a time of reception may lie outside of sending and acknowledgement. */
  tolerance: Micros;
  /** Null where every scan counts. */
  decided?: DecidedSite | null;
}

/** The truth of a site, from published and acknowledged messages. */
export class Truth {
  readonly assets: ReadonlyMap<string, AssetTruth | StatedTruth>;
  readonly readers: ReadonlyMap<string, { counts: ReaderCounts; isExact: boolean }>;
  readonly #tolerance: Micros;

  constructor({ assets, readers, rank, tolerance, decided = null }: TruthOptions) {
    this.assets = new Map(
      assets.map((key) => [key, decided === null ? new AssetTruth(rank) : new StatedTruth(decided)]),
    );
    this.readers = new Map(
      [...readers].map(([name, before]) => [name, { counts: { ...NO_COUNTS, ...before }, isExact: true }]),
    );
    this.#tolerance = tolerance;
  }

  /** @param time from before sending to after the acknowledgement, by this machine's clock. */
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
    for (const { asset, at, ...read } of message.placed) {
      const span = at === null ? received : { earliest: at, latest: at };
      this.assets.get(asset)?.add({ ...span, ...read, reader: message.reader.name });
    }
  }

  /** Call for a message that may or may not have arrived. */
  unanswered(message: Expected, isRepeat: boolean): void {
    this.lost(message.reader.name);
    for (const { asset } of isRepeat ? [] : message.placed) {
      this.assets.get(asset)?.doubt();
    }
  }

  /** Call when a reader's connection broke: some messages may have arrived more often than it knows. */
  lost(reader: string): void {
    const counted = this.readers.get(reader);
    if (counted !== undefined) {
      counted.isExact = false;
    }
  }

  /**
   * Call when nothing older than `before` is still to come, to release memory.
   *
   * @param turn a number below `turns`: that share of the assets is settled, as all at once could take long.
   */
  settle(before: Micros, turn = 0, turns = 1): void {
    let index = 0;
    for (const asset of this.assets.values()) {
      if (index++ % turns === turn) {
        asset.settle(before);
      }
    }
  }
}
