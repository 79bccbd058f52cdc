/**
 * Collects what many submitters hand in and works it off in batches, each submitter getting a promise of its own.
 *
 * Items go by lanes: those of one lane are worked off one batch after the other, in the order they were handed in;
 * lanes are worked off at the same time. While a lane's batch is under way its next one fills, so that batches grow
 * with the load and nobody waits for a timer. An
 * outage is waited out: the batch is tried again until it goes through. A fault that lies in an item is narrowed down
 * by halving the batch until the item stands alone; its submitter gets the fault, the others their results.
 *
 * States: open -> draining (nothing more is taken, all that was taken is worked off) -> stopped (what an outage still
 * holds is given up, its submitters get the outage's error).
 */
export interface BatchOptions<Item, Result> {
  /** Works off a batch, all or nothing; one result for each item, in their order. */
  flush(items: readonly Item[]): Promise<readonly Result[]>;
  /** How much an item counts against the bounds, at least 1. */
  weigh(item: Item): number;
  /** How many batches may be under way at once, at least 1. */
  lanes: number;
  /** Whose items must not overtake each other: equal keys share a lane. A whole number, not negative. */
  laneKey(item: Item): number;
  /** The most a batch may weigh; an item that alone is heavier makes a batch of its own. */
  maxBatch: number;
  /** The most that may be held, waiting or under way; beyond it `submit` waits before it takes an item. */
  maxHeld: number;
  /** Whether the fault is the surroundings' (a database that is gone) and passes by itself. */
  isOutage(error: unknown): boolean;
  /** Told of every attempt that an outage defeated, from 1, and of the pause before the next in milliseconds. */
  onOutage?(error: unknown, attempt: number, pause: number): void;
}

interface Entry<Item, Result> {
  item: Item;
  weight: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

interface Lane<Item, Result> {
  waiting: Entry<Item, Result>[];
  /** Until nothing waits any more; null while nothing does. */
  working: Promise<void> | null;
}

export class Batch<Item, Result> {
  readonly #options: BatchOptions<Item, Result>;
  readonly #lanes: readonly Lane<Item, Result>[];
  readonly #roomWanted: (() => void)[] = [];
  readonly #stop = new AbortController();
  #held = 0;
  #isOpen = true;

  constructor(options: BatchOptions<Item, Result>) {
    this.#options = options;
    this.#lanes = Array.from({ length: options.lanes }, () => ({ waiting: [], working: null }));
  }

  /** What is held, waiting or under way, in the unit of `weigh`. */
  get held(): number {
    return this.#held;
  }

  /**
   * Hands an item in and waits until it has been worked off.
   *
   * @throws BatchClosed once `drain` was called; the fault that lies in the item; or, after the drain's time ran
   *   out, the outage's error.
   */
  submit(item: Item): Promise<Result> {
    const weight = Math.max(1, this.#options.weigh(item));
    return this.#hasRoom(weight) ? this.#take(item, weight) : this.#takeLater(item, weight);
  }

  /**
   * Takes nothing more and waits until all that was taken has been worked off, but no longer than `patience`
   * milliseconds for an outage to pass.
   */
  async drain(patience: number): Promise<void> {
    this.#isOpen = false;
    this.#makeRoom();
    const timer = setTimeout(() => this.#stop.abort(), patience);
    await Promise.all(this.#lanes.map(({ working }) => working));
    clearTimeout(timer);
  }

  #hasRoom(weight: number): boolean {
    return !this.#isOpen || this.#held === 0 || this.#held + weight <= this.#options.maxHeld;
  }

  async #takeLater(item: Item, weight: number): Promise<Result> {
    while (!this.#hasRoom(weight)) {
      await new Promise<void>((resolve) => this.#roomWanted.push(resolve));
    }
    return this.#take(item, weight);
  }

  #take(item: Item, weight: number): Promise<Result> {
    if (!this.#isOpen) {
      return Promise.reject(new BatchClosed('nothing more is taken: stopping'));
    }
    this.#held += weight;
    const lane = this.#laneOf(item);
    return new Promise((resolve, reject) => {
      lane.waiting.push({ item, weight, resolve, reject });
      lane.working ??= this.#work(lane);
    });
  }

  #laneOf(item: Item): Lane<Item, Result> {
    return this.#lanes[this.#options.laneKey(item) % this.#lanes.length] as Lane<Item, Result>;
  }

  async #work(lane: Lane<Item, Result>): Promise<void> {
    while (lane.waiting.length > 0) {
      const entries = this.#takeBatch(lane.waiting);
      await this.#flush(entries);
      this.#held -= entries.reduce((sum, { weight }) => sum + weight, 0);
      this.#makeRoom();
    }
    lane.working = null;
  }

  #takeBatch(waiting: Entry<Item, Result>[]): Entry<Item, Result>[] {
    let weight = 0;
    const end = waiting.findIndex((entry, index) => {
      weight += entry.weight;
      return index > 0 && weight > this.#options.maxBatch;
    });
    return waiting.splice(0, end === -1 ? waiting.length : end);
  }

  async #flush(entries: readonly Entry<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#untilNoOutage(() => this.#options.flush(entries.map(({ item }) => item)));
      entries.forEach((entry, index) => {
        entry.resolve(results[index] as Result);
      });
    } catch (error) {
      if (entries.length === 1 || this.#options.isOutage(error)) {
        for (const entry of entries) {
          entry.reject(error);
        }
        return;
      }
      const middle = entries.length >> 1;
      await this.#flush(entries.slice(0, middle));
      await this.#flush(entries.slice(middle));
    }
  }

  async #untilNoOutage<Value>(attempt: () => Promise<Value>): Promise<Value> {
    for (let count = 1; ; count++) {
      try {
        return await attempt();
      } catch (error) {
        if (!this.#options.isOutage(error) || this.#stop.signal.aborted) {
          throw error;
        }
        const pause = Math.min(FIRST_PAUSE * 2 ** (count - 1), LONGEST_PAUSE) * (0.5 + Math.random() / 2);
        this.#options.onOutage?.(error, count, pause);
        await pauseUnless(this.#stop.signal, pause);
      }
    }
  }

  #makeRoom(): void {
    for (const wake of this.#roomWanted.splice(0)) {
      wake();
    }
  }
}

export class BatchClosed extends Error {}

/** Milliseconds between attempts during an outage: from the first, doubling, to the longest; half of it by chance. */
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 1_000;

function pauseUnless(signal: AbortSignal, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done);
  });
}
