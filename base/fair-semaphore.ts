import { AppError } from './errors.ts';

export interface QueueBounds {
  waitingPerKey: number;
  /** Milliseconds. */
  patience: number;
  refusal?: () => Error;
}

export interface SemaphoreBounds extends QueueBounds {
  total: number;
  /** Concurrent tasks of one key, guaranteed. */
  perKey: number;
  /** Concurrent tasks of one key while one slot beside them is left for other keys. */
  perKeyWithRoom: number;
  /**
   * How many of the places are kept for keys that used little recently ({@link RecentUse}) and have none now. Busy keys
   * share the others, so that a few of them cannot keep out the rest.
   */
  kept?: number;
  /** Milliseconds: once a key without a place has waited so long, a task of another key that runs for as long is asked to end. */
  slice?: number;
}

/** Held by a task until it leaves. */
export interface Place {
  /** Aborted when the task should end, or pause, because others wait. */
  readonly asked: AbortSignal;
  /** How far the task has come, in any unit: of a key's tasks, the slowest is asked first. */
  done: number;
  /** A second call does nothing. */
  leave(): void;
}

const TOO_MANY = 'Too many requests of the organization are waiting; send fewer at once, or try again later';
const TOO_LATE =
  'Earlier requests of the organization took too long for this one to have its turn; narrow those with filters, or try again later';

interface Waiting {
  enter(place: Held<unknown>): void;
}

/** Most tasks are never asked to end: no signal is made for them. */
class Held<Key> implements Place {
  readonly key: Key;
  readonly #isKept: boolean;
  readonly since = performance.now();
  done = 0;
  #asking: AbortController | null = null;
  #leave: (() => void) | null;

  constructor(key: Key, isKept: boolean, leave: (held: Held<Key>) => void) {
    this.key = key;
    this.#isKept = isKept;
    this.#leave = () => leave(this);
  }

  /** Whether it counts as work of a busy key: work in a kept place does once it took long. */
  isBusy(now: number): boolean {
    return !this.#isKept || now - this.since > MUCH;
  }

  get asked(): AbortSignal {
    this.#asking ??= new AbortController();
    return this.#asking.signal;
  }

  ask(): void {
    this.#asking ??= new AbortController();
    this.#asking.abort();
  }

  get isAsked(): boolean {
    return this.#asking?.signal.aborted === true;
  }

  leave(): void {
    const leave = this.#leave;
    this.#leave = null;
    leave?.();
  }
}

/**
 * Fair semaphore per key. The key with the fewest running tasks goes first; among equals, the one that has
 * waited longest since its last turn. A key at its limit is skipped, so whoever sends most waits longest.
 * Queues of libraries (p-queue 10, async-sema 3) know no keys, and limiters by key (Bottleneck 2) no turns
 * between them.
 */
export class FairSemaphore<Key> {
  readonly #bounds: SemaphoreBounds;
  readonly #running = new Map<Key, number>();
  /** Waiting tasks by key, first come first served; keys in order of their turns. */
  readonly #waiting = new Map<Key, Set<Waiting>>();
  /** Empty without a slice or kept places. */
  readonly #held = new Set<Held<Key>>();
  readonly #use: RecentUse<Key> | null;
  readonly #forBusyKeys: number;
  #runningOfAll = 0;
  #waitingOfAll = 0;

  constructor(bounds: SemaphoreBounds) {
    this.#bounds = bounds;
    this.#use = bounds.kept ? new RecentUse() : null;
    this.#forBusyKeys = bounds.total - (bounds.kept ?? 0);
  }

  running(key?: Key): number {
    return key === undefined ? this.#runningOfAll : (this.#running.get(key) ?? 0);
  }

  waiting(key?: Key): number {
    return key === undefined ? this.#waitingOfAll : (this.#waiting.get(key)?.size ?? 0);
  }

  /**
   * @param signal ends the wait, not the work.
   * @param queue defaults to the semaphore's own bounds.
   * @throws the refusal, by default AppError `timed_out`, if too many wait or the turn does not come in time; the
   * signal's reason.
   */
  async run<Result>(
    key: Key,
    work: (place: Place) => Promise<Result>,
    signal?: AbortSignal,
    queue: QueueBounds = this.#bounds,
  ): Promise<Result> {
    signal?.throwIfAborted();
    const place = this.#hasRoomFor(key) ? this.#enter(key) : await this.#turnOf(key, signal, queue);
    try {
      return await work(place);
    } finally {
      place.leave();
    }
  }

  /** For work that ends elsewhere; the caller leaves the place. Otherwise as {@link run}. */
  async enter(key: Key, signal?: AbortSignal, queue: QueueBounds = this.#bounds): Promise<Place> {
    signal?.throwIfAborted();
    return this.#hasRoomFor(key) ? this.#enter(key) : this.#turnOf(key, signal, queue);
  }

  #turnOf(
    key: Key,
    signal: AbortSignal | undefined,
    { waitingPerKey, patience, refusal }: QueueBounds,
  ): Promise<Place> {
    if (this.waiting(key) >= waitingPerKey) {
      return Promise.reject(refusal?.() ?? new AppError('timed_out', TOO_MANY));
    }
    return new Promise((resolve, reject) => {
      const settle = (done: () => void) => {
        clearTimeout(timer);
        clearTimeout(asking);
        signal?.removeEventListener('abort', abandon);
        this.#unqueue(key, waiting);
        done();
      };
      const abandon = () => settle(() => reject(signal?.reason));
      const expire = () => settle(() => reject(refusal?.() ?? new AppError('timed_out', TOO_LATE)));
      const timer = setTimeout(expire, patience);
      const waiting: Waiting = { enter: (place) => settle(() => resolve(place)) };
      const { slice } = this.#bounds;
      let asking = slice === undefined ? undefined : setTimeout(() => ask(slice), slice);
      const ask = (most: number) => {
        asking = setTimeout(() => ask(most), this.#askOneToEnd(key, waiting, most));
      };
      signal?.addEventListener('abort', abandon);
      this.#queue(key, waiting);
    });
  }

  /**
   * Asks the slowest task of the key that runs most, of those whose place the waiting one could have, to end.
   *
   * @returns milliseconds after which to ask again.
   */
  #askOneToEnd(key: Key, waiting: Waiting, slice: number): number {
    const [first] = this.#waiting.get(key) ?? [];
    if (first !== waiting || this.running(key) > 0) {
      return slice;
    }
    const now = performance.now();
    const hasToBeBusy = this.#isBusy(key) && this.#areBusyPlacesTaken();
    const others = [...this.#held].filter(
      (held) => held.key !== key && !held.isAsked && (!hasToBeBusy || held.isBusy(now)),
    );
    const ripe = others.filter(({ since }) => now - since >= slice);
    const speed = ({ done, since }: Held<Key>) => done / (now - since);
    ripe.sort(
      (a, b) => this.running(b.key) - this.running(a.key) || speed(a) - speed(b) || a.since - b.since,
    );
    const [slowest] = ripe;
    if (slowest !== undefined) {
      slowest.ask();
      return slice;
    }
    const longest = others.reduce((most, { since }) => Math.max(most, now - since), 0);
    return Math.max(1, slice - longest);
  }

  #queue(key: Key, waiting: Waiting): void {
    const ofKey = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, ofKey.add(waiting));
    this.#waitingOfAll += 1;
  }

  #unqueue(key: Key, waiting: Waiting): void {
    const ofKey = this.#waiting.get(key);
    ofKey?.delete(waiting);
    if (ofKey?.size === 0) {
      this.#waiting.delete(key);
    }
    this.#waitingOfAll -= 1;
  }

  #hasRoomFor(key: Key): boolean {
    const { total, perKey, perKeyWithRoom } = this.#bounds;
    const running = this.running(key);
    if (this.#isBusy(key) && this.#areBusyPlacesTaken()) {
      return false;
    }
    return running < perKey
      ? this.#runningOfAll < total
      : running < perKeyWithRoom && this.#runningOfAll < total - 1;
  }

  #isBusy(key: Key): boolean {
    return this.#use !== null && (this.running(key) > 0 || this.#use.isMuch(key));
  }

  #areBusyPlacesTaken(): boolean {
    const now = performance.now();
    let busy = 0;
    for (const held of this.#held) {
      busy += held.isBusy(now) ? 1 : 0;
    }
    return busy >= this.#forBusyKeys;
  }

  /** Stops at the first idle key that may enter. */
  #next(): Key | undefined {
    let next: Key | undefined;
    for (const key of this.#waiting.keys()) {
      const isBefore = next === undefined || this.running(key) < this.running(next);
      if (isBefore && this.#hasRoomFor(key)) {
        next = key;
        if (this.running(key) === 0) {
          break;
        }
      }
    }
    return next;
  }

  #enter(key: Key): Held<Key> {
    const isKept = !this.#isBusy(key);
    this.#runningOfAll += 1;
    this.#running.set(key, this.running(key) + 1);
    const held = new Held(key, isKept, this.#leave);
    if (this.#bounds.slice !== undefined || this.#use !== null) {
      this.#held.add(held);
    }
    return held;
  }

  readonly #leave = (held: Held<Key>): void => {
    const { key, since } = held;
    this.#held.delete(held);
    this.#use?.add(key, performance.now() - since);
    this.#runningOfAll -= 1;
    const left = this.running(key) - 1;
    if (left === 0) {
      this.#running.delete(key);
    } else {
      this.#running.set(key, left);
    }
    this.#letNextIn();
  };

  #letNextIn(): void {
    const key = this.#next();
    const ofKey = key === undefined ? undefined : this.#waiting.get(key);
    const [first] = ofKey ?? [];
    if (key === undefined || ofKey === undefined || first === undefined) {
      return;
    }
    first.enter(this.#enter(key));
    if (ofKey.size > 0) {
      this.#waiting.delete(key);
      this.#waiting.set(key, ofKey);
    }
  }
}

/** The share of each millisecond's use that is forgotten per millisecond: a quarter of one place is never much. */
const FORGOTTEN = 0.25;

/** Milliseconds of use beyond that which count as much, and which are remembered at most. */
const MUCH = 2_000;
const MOST = 15_000;

/** Keys beyond which those without recent use are dropped. */
const MANY = 1_000;

/** How long each key used something recently: a leaky bucket for each, kept as the time at which it will be empty. */
class RecentUse<Key> {
  readonly #emptyAt = new Map<Key, number>();

  add(key: Key, ms: number): void {
    const now = performance.now();
    const left = Math.max(0, (this.#emptyAt.get(key) ?? now) - now) + ms / FORGOTTEN;
    this.#emptyAt.set(key, now + Math.min(left, MOST / FORGOTTEN));
    if (this.#emptyAt.size > MANY) {
      this.#dropEmpty(now);
    }
  }

  isMuch(key: Key): boolean {
    const emptyAt = this.#emptyAt.get(key);
    return emptyAt !== undefined && (emptyAt - performance.now()) * FORGOTTEN > MUCH;
  }

  #dropEmpty(now: number): void {
    for (const [key, emptyAt] of this.#emptyAt) {
      if (emptyAt <= now) {
        this.#emptyAt.delete(key);
      }
    }
  }
}
