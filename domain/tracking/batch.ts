import { Turns } from '../../base/each-in-turns.ts';

/**
 * Batches the items of many submitters, each of whom gets a promise of its own.
 *
 * A lane flushes one batch at a time, in order of submission; lanes run concurrently. While a lane's batch is being
 * flushed its next one fills, so that batches grow with the load and nobody waits for a timer. During an outage a batch
 * is retried until it goes through. A faulty item is found by halving its batch until it stands alone, unless the error
 * says which are at fault; its submitter gets the error, the others their results.
 *
 * If another session holds a lock that a batch needs, its tenants are flushed one by one, and the items of those that are
 * blocked wait aside with everything that follows them, and are tried again until they go through. If a batch takes too
 * long, its tenants are flushed one by one as well; the submitters of one that takes too long even then get the error.
 *
 * States: open -> draining (takes nothing more, flushes everything taken) -> stopped (gives up what an outage still
 * holds; its submitters get the outage's error).
 */
export interface BatchOptions<Item, Result> {
  /** Handles a batch, all or nothing; one result per item, in order. */
  flush(items: readonly Item[]): Promise<readonly Result[]>;
  /** Weight against `maxBatch` and `maxHeld`, at least 1. */
  weigh(item: Item): number;
  /** Batches under way at once, at least 1. */
  lanes: number;
  /** A whole number, not negative. Items with equal keys share a lane and keep their order. */
  laneKey(item: Item): number;
  /** In weight. A heavier item makes its own batch. */
  maxBatch: number;
  /** Tenants in a batch; left out for any number. */
  maxTenants?: number;
  /** In weight, waiting or under way; beyond it `submit` waits before it takes an item (backpressure). */
  maxHeld: number;
  /** Whether the error is passing and no item's fault, as when the database is gone. */
  isOutage(error: unknown): boolean;
  /** Whether the error names the item; then the others are flushed at once, without halving. */
  isNamed?(error: unknown, item: Item): boolean;
  /** Whether it gave up waiting for a lock of another session. */
  isBlocked?(error: unknown): boolean;
  /** Whether it ran into a time limit: to find the items by halving would hold the lane for as long each time. */
  isTooSlow?(error: unknown): boolean;
  /** Items of others are not blocked by the same lock, and may take less time. */
  tenant?(item: Item): number;
  /** Called for items that wait aside, at each attempt. */
  onBlocked?(error: unknown, items: readonly Item[]): void;
  /** Called for every attempt that an outage defeated, from 1, with the milliseconds until the next. */
  onOutage?(error: unknown, attempt: number, pause: number): void;
}

interface Entry<Item, Result> {
  item: Item;
  /** In order of submission. */
  order: number;
  weight: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

interface Lane<Item, Result> {
  waiting: Entry<Item, Result>[];
  /** Resolves when nothing waits any more; null while idle. */
  working: Promise<void> | null;
}

export class Batch<Item, Result> {
  readonly #options: BatchOptions<Item, Result>;
  readonly #lanes: readonly Lane<Item, Result>[];
  /** First come first served, so that a key's items keep their order. */
  readonly #roomWanted: { weight: number; take(): void }[] = [];
  readonly #stop = new AbortController();
  /** Items that wait for a lock of another session, by the key of their lane; all share one more lane. */
  readonly #aside = new Map<number, { queue: Entry<Item, Result>[]; error: unknown }>();
  #retrying: Promise<void> | null = null;
  #asideWeight = 0;
  #order = 0;
  #held = 0;
  #isOpen = true;

  constructor(options: BatchOptions<Item, Result>) {
    this.#options = options;
    this.#lanes = Array.from({ length: options.lanes }, () => ({ waiting: [], working: null }));
  }

  /** In weight, waiting or under way, without those set aside. */
  get held(): number {
    return this.#held;
  }

  /** Whether items with this key wait for a lock of another session. */
  isAside(key: number): boolean {
    return this.#aside.has(key);
  }

  /**
   * Submits an item; resolves when its batch is flushed.
   *
   * @throws BatchClosed once `drain` was called; the fault that lies in the item; or, after the drain's time ran
   *   out, the outage's error.
   */
  submit(item: Item): Promise<Result> {
    const weight = Math.max(1, this.#options.weigh(item));
    return this.#roomWanted.length === 0 && this.#hasRoom(weight)
      ? this.#take(item, weight)
      : new Promise((resolve) => {
          this.#roomWanted.push({ weight, take: () => resolve(this.#take(item, weight)) });
        });
  }

  /**
   * Takes nothing more and waits until everything taken is flushed, but no longer than `patience` milliseconds for an
   * outage to pass.
   */
  async drain(patience: number): Promise<void> {
    this.#isOpen = false;
    this.#makeRoom();
    const timer = setTimeout(() => this.#stop.abort(), patience);
    await Promise.all(this.#lanes.map(({ working }) => working));
    await this.#retrying;
    clearTimeout(timer);
  }

  #hasRoom(weight: number): boolean {
    return !this.#isOpen || this.#held === 0 || this.#held + weight <= this.#options.maxHeld;
  }

  #take(item: Item, weight: number): Promise<Result> {
    if (!this.#isOpen) {
      return Promise.reject(new BatchClosed('nothing more is taken: stopping'));
    }
    this.#held += weight;
    const lane = this.#laneOf(item);
    this.#order += 1;
    const order = this.#order;
    return new Promise((resolve, reject) => {
      lane.waiting.push({ item, order, weight, resolve, reject });
      lane.working ??= this.#work(lane);
    });
  }

  #laneOf(item: Item): Lane<Item, Result> {
    return this.#lanes[this.#options.laneKey(item) % this.#lanes.length] as Lane<Item, Result>;
  }

  async #work(lane: Lane<Item, Result>): Promise<void> {
    while (lane.waiting.length > 0) {
      const entries = this.#takeBatch(lane.waiting);
      await this.#flush(this.#withoutBlocked(entries));
      this.#held -= weightOf(entries);
      this.#makeRoom();
    }
    lane.working = null;
  }

  #takeBatch(waiting: Entry<Item, Result>[]): Entry<Item, Result>[] {
    const { maxBatch, maxTenants = Number.POSITIVE_INFINITY, tenant = () => 0 } = this.#options;
    const tenants = new Set<number>();
    let weight = 0;
    const end = waiting.findIndex((entry, index) => {
      weight += entry.weight;
      tenants.add(tenant(entry.item));
      return index > 0 && (weight > maxBatch || tenants.size > maxTenants);
    });
    return waiting.splice(0, end === -1 ? waiting.length : end);
  }

  async #flush(entries: readonly Entry<Item, Result>[]): Promise<void> {
    try {
      const items = entries.map(({ item }) => item);
      const results = await this.#untilNoOutage(async () =>
        items.length === 0 ? [] : this.#options.flush(items),
      );
      entries.forEach((entry, index) => {
        entry.resolve(results[index] as Result);
      });
    } catch (error) {
      const { isBlocked, isTooSlow } = this.#options;
      if (isBlocked?.(error) === true || isTooSlow?.(error) === true) {
        await this.#goAround(entries, error);
      } else if (entries.length === 1 || this.#options.isOutage(error)) {
        rejectAll(entries, error);
      } else {
        for (const some of this.#apart(entries, error)) {
          await this.#flush(some);
        }
      }
    }
  }

  /** Items after blocked ones are set aside too, to keep their order. */
  #withoutBlocked(entries: readonly Entry<Item, Result>[]): Entry<Item, Result>[] {
    return entries.filter((entry) => {
      const aside = this.#aside.get(this.#options.laneKey(entry.item));
      if (aside !== undefined) {
        this.#setAside(entry, aside.error);
      }
      return aside === undefined;
    });
  }

  /** Flushes each tenant's items separately; those still blocked are set aside, those too slow are refused. */
  async #goAround(entries: readonly Entry<Item, Result>[], error: unknown): Promise<void> {
    const { tenant = () => 0 } = this.#options;
    const groups = [...Map.groupBy(entries, ({ item }) => tenant(item)).values()];
    if (groups.length > 1) {
      for (const some of groups) {
        await this.#flush(some);
      }
      return;
    }
    if (this.#options.isTooSlow?.(error) === true) {
      rejectAll(entries, error);
      return;
    }
    this.#options.onBlocked?.(
      error,
      entries.map(({ item }) => item),
    );
    for (const entry of entries) {
      this.#setAside(entry, error);
    }
    this.#retrying ??= this.#retryAside();
  }

  /** Refuses it without room, so that it holds back nobody else. */
  #setAside(entry: Entry<Item, Result>, error: unknown): void {
    const isFull =
      this.#asideWeight > 0 && this.#asideWeight + entry.weight > this.#options.maxHeld * SHARE_ASIDE;
    if (isFull || this.#stop.signal.aborted) {
      entry.reject(error);
      return;
    }
    const key = this.#options.laneKey(entry.item);
    const queue = this.#aside.get(key)?.queue ?? [];
    queue.push(entry);
    queue.sort((one, other) => one.order - other.order);
    this.#aside.set(key, { queue, error });
    this.#asideWeight += entry.weight;
  }

  async #retryAside(): Promise<void> {
    while (this.#aside.size > 0) {
      await pauseUnless(this.#stop.signal, LONGEST_PAUSE);
      for (const [key, { queue }] of [...this.#aside]) {
        const some = this.#takeBatch(queue);
        this.#asideWeight -= weightOf(some);
        await this.#flush(some);
        if (queue.length === 0) {
          this.#aside.delete(key);
        }
      }
    }
    this.#retrying = null;
  }

  /** The batches to continue with after the named items are refused; the halves if none is named. */
  #apart(
    entries: readonly Entry<Item, Result>[],
    error: unknown,
  ): readonly (readonly Entry<Item, Result>[])[] {
    const { isNamed = () => false } = this.#options;
    const { named = [], others = [] } = Object.groupBy(entries, ({ item }) =>
      isNamed(error, item) ? 'named' : 'others',
    );
    if (named.length === 0) {
      const middle = entries.length >> 1;
      return [entries.slice(0, middle), entries.slice(middle)];
    }
    for (const entry of named) {
      entry.reject(error);
    }
    return others.length === 0 ? [] : [others];
  }

  async #untilNoOutage<Value>(attempt: () => Promise<Value>): Promise<Value> {
    for (let count = 1; ; count++) {
      try {
        return await attempt();
      } catch (error) {
        const isOutage = this.#options.isOutage(error) && this.#options.isBlocked?.(error) !== true;
        if (!isOutage || this.#stop.signal.aborted) {
          throw error;
        }
        const pause = Math.min(FIRST_PAUSE * 2 ** (count - 1), LONGEST_PAUSE) * (0.5 + Math.random() / 2);
        this.#options.onOutage?.(error, count, pause);
        await pauseUnless(this.#stop.signal, pause);
      }
    }
  }

  #makeRoom(): void {
    for (
      let [next] = this.#roomWanted;
      next !== undefined && this.#hasRoom(next.weight);
      [next] = this.#roomWanted
    ) {
      this.#roomWanted.shift();
      next.take();
    }
  }
}

function rejectAll(entries: readonly { reject(error: unknown): void }[], error: unknown): void {
  for (const entry of entries) {
    entry.reject(error);
  }
}

function weightOf(entries: readonly { weight: number }[]): number {
  return entries.reduce((sum, { weight }) => sum + weight, 0);
}

export class BatchClosed extends Error {}

/** How much more may wait aside, as a share of the weight that may be held. */
const SHARE_ASIDE = 1 / 16;

/** Milliseconds between attempts during an outage: from the first, doubling, to the longest; half of it random. */
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 1_000;

/** One tenant's large batch: rests between its steps, so that others catch up while it lasts. */
export class Pace extends Turns {
  readonly #signal: AbortSignal;
  readonly #isWaitedFor: () => boolean;
  #since = performance.now();

  /**
   * @param signal ends the rests.
   * @param isWaitedFor whether somebody may wait for the batch's locks: then it rests later.
   */
  constructor(signal: AbortSignal, isWaitedFor: () => boolean = () => false) {
    super();
    this.#signal = signal;
    this.#isWaitedFor = isWaitedFor;
  }

  override async next(): Promise<void> {
    const goesOn = performance.now() - this.#since < STRETCH || this.#isWaitedFor();
    await (goesOn ? super.next() : this.rest());
  }

  /** A look-up takes several times as long beside a large batch, and further ones wait for it. */
  async rest(): Promise<void> {
    await pauseUnless(this.#signal, Math.min(LONGEST_REST, REST * (performance.now() - this.#since)));
    this.#since = performance.now();
  }
}

/** Milliseconds of work between rests. */
const STRETCH = 20;

/** As a share of the time since the last one. */
const REST = 0.5;

/** Milliseconds. */
const LONGEST_REST = 500;

/** Ends early with the signal. */
export function pauseUnless(signal: AbortSignal, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, signal.aborted ? 0 : milliseconds);
    signal.addEventListener('abort', done);
  });
}
