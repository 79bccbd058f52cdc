import { PROGRESS, type Refusal, type RoomBounds, refusalOf, type Sender } from './body-room-bounds.ts';
import { badRequest, type Problem } from './problem.ts';

export interface Reservation {
  heard(bytes: number): void;
  complete(bytes: number): void;
  /** @param give called at most once, if others need the room or time is up before the body is complete. */
  onLost(give: (problem: Problem) => void): void;
  leave(): void;
}

interface Held extends Arriving {
  /** Bytes since `progressAt`. */
  progress: number;
  isComplete: boolean;
  lose: ((problem: Problem) => void) | null;
}

interface Waiting extends WaitingBody {
  enter(): void;
  refuse(problem: Problem): void;
}

/**
 * Bounds the bytes of bodies in memory, in fair shares. A body without room is not read: TCP backpressure
 * holds its sender back until there is room, smallest shares first. A body that blocks others may be evicted
 * ({@link bodiesToEvict}); while nobody waits it has unlimited time.
 *
 * 400 connections of one handheld with 1 MiB each, all but the last bytes, took `npm start` from 166 to 567
 * MB, and 20 s after they had gone it held 570; with this from 125 to 240, and 166 afterwards (both with one
 * malloc arena).
 */
export class BodyRoom {
  readonly #bounds: RoomBounds;
  readonly #onRefused: (why: Refusal) => void;
  readonly #now: () => number;
  readonly #held = new Set<Held>();
  readonly #waiting = new Set<Waiting>();
  readonly #shares: BodyShares;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    bounds: RoomBounds,
    onRefused: (why: Refusal) => void = () => {},
    now = () => performance.now(),
  ) {
    this.#bounds = bounds;
    this.#shares = new BodyShares(bounds);
    this.#onRefused = onRefused;
    this.#now = now;
  }

  get bytes(): number {
    return this.#shares.bytes;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * @param signal ends the wait.
   * @throws Problem `unavailable` if too many wait, or no room comes in time.
   */
  async enter(sender: Sender, bytes: number, signal: AbortSignal): Promise<Reservation> {
    return this.#shares.boundFor({ sender, bytes }) === null
      ? this.#reserve(sender, bytes)
      : this.#turn(sender, bytes, signal);
  }

  #reserve(sender: Sender, bytes: number): Reservation {
    const now = this.#now();
    const held: Held = {
      sender,
      bytes,
      since: now,
      progress: 0,
      progressAt: now,
      isComplete: false,
      lose: null,
    };
    this.#held.add(held);
    this.#shares.count(sender, bytes);
    this.#watch();
    return {
      heard: (bytes) => {
        held.progress += bytes;
        if (held.progress >= PROGRESS) {
          held.progress = 0;
          held.progressAt = this.#now();
        }
      },
      complete: (bytes) => {
        held.isComplete = true;
        held.lose = null;
        this.#resize(held, Math.min(bytes, held.bytes));
      },
      onLost: (give) => {
        held.lose = give;
      },
      leave: () => {
        if (this.#held.delete(held)) {
          this.#resize(held, 0);
        }
      },
    };
  }

  #resize(held: Held, bytes: number): void {
    this.#shares.count(held.sender, bytes - held.bytes);
    held.bytes = bytes;
    this.#admit();
  }

  #turn(sender: Sender, bytes: number, signal: AbortSignal): Promise<Reservation> {
    const before = [...this.#waiting].filter(({ sender: { caller } }) => caller === sender.caller).length;
    if (before >= this.#bounds.waitingPerCaller) {
      return Promise.reject(this.#refusal('crowded'));
    }
    return new Promise((resolve, reject) => {
      const settle = (done: () => void) => {
        signal.removeEventListener('abort', abandon);
        this.#waiting.delete(waiting);
        done();
      };
      const abandon = () => settle(() => reject(badRequest('Request body was cut off')));
      const waiting: Waiting = {
        sender,
        bytes,
        since: this.#now(),
        enter: () => settle(() => resolve(this.#reserve(sender, bytes))),
        refuse: (problem) => settle(() => reject(problem)),
      };
      signal.addEventListener('abort', abandon);
      this.#waiting.add(waiting);
      if (this.#waiting.size > this.#bounds.waiting) {
        newestOfMost(this.#waiting)?.refuse(this.#refusal('crowded'));
      }
      this.#watch();
    });
  }

  #admit(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) {
      next.enter();
    }
  }

  #next(): Waiting | null {
    return nextToEnter(this.#waiting, this.#shares);
  }

  #watch(): void {
    this.#timer ??= setInterval(() => this.#look(), this.#bounds.stall / 10).unref();
  }

  #look(): void {
    const { patience, deadline } = this.#bounds;
    const now = this.#now();
    for (const held of this.#held) {
      if (now - held.since > deadline) {
        this.#lose(held, 'late');
      }
    }
    for (const waiting of [...this.#waiting]) {
      if (now - waiting.since > patience) {
        waiting.refuse(this.#refusal('waited'));
      }
    }
    const arriving = [...this.#held].filter(({ isComplete }) => !isComplete);
    for (const held of bodiesToEvict(arriving, [...this.#waiting], this.#shares, this.#bounds, now)) {
      this.#lose(held, 'stalled');
    }
    if (this.#held.size === 0 && this.#waiting.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  #lose(held: Held, why: Refusal): void {
    const { lose } = held;
    held.lose = null;
    if (!held.isComplete && lose !== null) {
      lose(this.#refusal(why));
    }
  }

  #refusal(why: Refusal): Problem {
    this.#onRefused(why);
    return refusalOf(why);
  }
}

function newestOfMost<Waiting extends WaitingBody>(waiting: Iterable<Waiting>): Waiting | undefined {
  const byOrganization = Map.groupBy(waiting, ({ sender }) => sender.organization);
  const [most] = [...byOrganization.values()].sort((a, b) => b.length - a.length);
  return most?.at(-1);
}

function nextToEnter<Waiting extends WaitingBody>(
  waiting: Iterable<Waiting>,
  shares: BodyShares,
): Waiting | null {
  let next: Waiting | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const each of waiting) {
    const weight = shares.weightOf(each.sender);
    if (weight < least && shares.boundFor(each) === null) {
      [next, least] = [each, weight];
    }
  }
  return next;
}

export interface Arriving extends Sized {
  since: number;
  progressAt: number;
}

export interface WaitingBody extends Sized {
  since: number;
}

/**
 * Waiting requests to consider, smallest shares first: each is compared with all bodies in transfer, some
 * thousands.
 */
const LOOKED_AT = 32;

/**
 * Bodies to evict for waiting ones:
 *
 * 1. stalled ones, for any waiting body;
 * 2. those older than the grace whose sender holds at least as much as the waiting one would. Otherwise two
 *    organizations with 24 connections at 1 KB/s each keep out all others' bodies. Stalled ones first, then those of
 *    the largest holder, then the oldest.
 */
export function bodiesToEvict<Body extends Arriving>(
  arriving: readonly Body[],
  waiting: readonly WaitingBody[],
  shares: BodyShares,
  { stall, grace }: RoomBounds,
  now: number,
): Body[] {
  const stalls = (body: Body) => now - body.progressAt > stall;
  const left = shares.copy();
  const candidates = new Set(
    arriving
      .filter((body) => stalls(body) || now - body.since > grace)
      .sort(
        (a, b) =>
          Number(stalls(b)) - Number(stalls(a)) ||
          shares.weightOf(b.sender) - shares.weightOf(a.sender) ||
          a.since - b.since,
      ),
  );
  const leastFirst = waiting.toSorted(
    (a, b) => shares.weightOf(a.sender) - shares.weightOf(b.sender) || a.since - b.since,
  );
  const gone: Body[] = [];
  for (const wanting of leastFirst.slice(0, LOOKED_AT)) {
    const hasWaited = now - wanting.since > grace;
    for (const body of candidates) {
      const bound = left.boundFor(wanting);
      if (bound === null) {
        break;
      }
      const isInTheWay = bound === 'total' || body.sender[bound] === wanting.sender[bound];
      if (isInTheWay && (stalls(body) || (hasWaited && left.isOwedBy(body.sender, wanting)))) {
        candidates.delete(body);
        left.count(body.sender, -body.bytes);
        gone.push(body);
      }
    }
    if (left.boundFor(wanting) === null) {
      left.count(wanting.sender, wanting.bytes);
    }
  }
  return gone;
}

interface Sized {
  sender: Sender;
  bytes: number;
}

type Bound = 'caller' | 'organization' | 'total';

export class BodyShares {
  readonly #bounds: RoomBounds;
  #ofOrganization = new Map<string, number>();
  #ofCaller = new Map<string, number>();
  #bytes = 0;

  constructor(bounds: RoomBounds) {
    this.#bounds = bounds;
  }

  get bytes(): number {
    return this.#bytes;
  }

  copy(): BodyShares {
    const copied = new BodyShares(this.#bounds);
    copied.#bytes = this.#bytes;
    copied.#ofOrganization = new Map(this.#ofOrganization);
    copied.#ofCaller = new Map(this.#ofCaller);
    return copied;
  }

  count({ organization, caller }: Sender, bytes: number): void {
    this.#bytes += bytes;
    add(this.#ofOrganization, organization, bytes);
    add(this.#ofCaller, caller, bytes);
  }

  /** The narrowest bound that the body exceeds; null if there is room. */
  boundFor({ sender: { organization, caller }, bytes }: Sized): Bound | null {
    const { total, perOrganization, perCaller } = this.#bounds;
    if (this.#of(this.#ofCaller, caller) + bytes > perCaller) {
      return 'caller';
    }
    if (this.#of(this.#ofOrganization, organization) + bytes > perOrganization) {
      return 'organization';
    }
    return this.#bytes + bytes > total ? 'total' : null;
  }

  /** Bytes held by the organization, then by the caller. */
  weightOf({ organization, caller }: Sender): number {
    return (
      this.#of(this.#ofOrganization, organization) * this.#bounds.total + this.#of(this.#ofCaller, caller)
    );
  }

  /**
   * True if another organization, or another caller of this one, holds at least as much as this sender would
   * with its body.
   */
  isOwedBy({ organization, caller }: Sender, { sender, bytes }: Sized): boolean {
    return organization === sender.organization
      ? caller !== sender.caller &&
          this.#of(this.#ofCaller, caller) >= this.#of(this.#ofCaller, sender.caller) + bytes
      : this.#of(this.#ofOrganization, organization) >=
          this.#of(this.#ofOrganization, sender.organization) + bytes;
  }

  #of(sums: ReadonlyMap<string, number>, key: string): number {
    return sums.get(key) ?? 0;
  }
}

function add(sums: Map<string, number>, key: string, amount: number): void {
  const sum = (sums.get(key) ?? 0) + amount;
  if (sum === 0) {
    sums.delete(key);
  } else {
    sums.set(key, sum);
  }
}
