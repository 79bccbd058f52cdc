import { type Refusal, refusalOf } from './body-refusals.ts';
import { badRequest, type Problem } from './problem.ts';

/** Who sends a body; callers share their organization's room. */
export interface Sender {
  organization: string;
  caller: string;
}

export interface RoomBounds {
  /** Bytes of all bodies, of those of an organization, and of those of a caller. No body is larger than the last. */
  total: number;
  perOrganization: number;
  perCaller: number;
  /** Requests that may wait for room, of a caller and of all. */
  waitingPerCaller: number;
  waiting: number;
  /** Milliseconds that one waits. */
  patience: number;
  /** Milliseconds in which {@link PROGRESS} has to come while others wait for the room. */
  stall: number;
  /** Milliseconds in which a body has to be there. */
  deadline: number;
}

/**
 * A body of 1 MiB has two minutes: 9 KB/s, and of a usual submission of 20 KB less than a modem of 1980 could send. The
 * largest, a file of 10 MiB, must come with 85 KB/s.
 */
export const ROOM: RoomBounds = {
  total: 48 * 1_048_576,
  perOrganization: 24 * 1_048_576,
  perCaller: 12 * 1_048_576,
  waitingPerCaller: 128,
  waiting: 512,
  patience: 20_000,
  stall: 5_000,
  deadline: 120_000,
};

/** Bytes. */
const PROGRESS = 4_096;

/** The room that a body takes, from before it is read until its request is answered. */
export interface Place {
  /** So many bytes have come. */
  heard(bytes: number): void;
  /** All of it is there, and is this large. */
  complete(bytes: number): void;
  /** @param give is called, at most once, when the room is needed by others, or the time is up, before it is complete. */
  onLost(give: (problem: Problem) => void): void;
  leave(): void;
}

interface Held {
  sender: Sender;
  bytes: number;
  since: number;
  /** Bytes that came since `progressAt`. */
  progress: number;
  progressAt: number;
  isComplete: boolean;
  lose: ((problem: Problem) => void) | null;
}

interface Waiting {
  sender: Sender;
  bytes: number;
  since: number;
  enter(): void;
  refuse(problem: Problem): void;
}

/**
 * Bounds the bytes of bodies in memory, by fair shares. A body that finds no room is not read: its sender is held back
 * by TCP and has its turn when there is room, whoever has least first. A body that comes so slowly that it is in others'
 * way has to give way; where nobody waits it has all the time there is.
 *
 * 400 connections of one handheld with 1 MiB each, all but the last bytes, took `npm start` from 166 to 567 MB, and
 * 20 s after they were gone it had 570; with this from 125 to 240, and 166 afterwards (the same with one malloc arena).
 */
export class BodyRoom {
  readonly #bounds: RoomBounds;
  readonly #onRefused: (why: Refusal) => void;
  readonly #now: () => number;
  readonly #held = new Set<Held>();
  readonly #waiting = new Set<Waiting>();
  readonly #ofOrganization = new Map<string, number>();
  readonly #ofCaller = new Map<string, number>();
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    bounds: RoomBounds,
    onRefused: (why: Refusal) => void = () => {},
    now = () => performance.now(),
  ) {
    this.#bounds = bounds;
    this.#onRefused = onRefused;
    this.#now = now;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * @param signal ends the wait.
   * @throws Problem `unavailable` if too many wait already, or there is no room in time.
   */
  async enter(sender: Sender, bytes: number, signal: AbortSignal): Promise<Place> {
    return this.#hasRoom(sender, bytes) ? this.#place(sender, bytes) : this.#turn(sender, bytes, signal);
  }

  #place(sender: Sender, bytes: number): Place {
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
    this.#count(sender, bytes);
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
    this.#count(held.sender, bytes - held.bytes);
    held.bytes = bytes;
    this.#admit();
  }

  #count({ organization, caller }: Sender, bytes: number): void {
    this.#bytes += bytes;
    add(this.#ofOrganization, organization, bytes);
    add(this.#ofCaller, caller, bytes);
  }

  #turn(sender: Sender, bytes: number, signal: AbortSignal): Promise<Place> {
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
        enter: () => settle(() => resolve(this.#place(sender, bytes))),
        refuse: (problem) => settle(() => reject(problem)),
      };
      signal.addEventListener('abort', abandon);
      this.#waiting.add(waiting);
      if (this.#waiting.size > this.#bounds.waiting) {
        this.#newestOfMost().refuse(this.#refusal('crowded'));
      }
      this.#watch();
    });
  }

  /** Of the organization that has most waiting, the one that came last. */
  #newestOfMost(): Waiting {
    const byOrganization = Map.groupBy(this.#waiting, ({ sender }) => sender.organization);
    const [most] = [...byOrganization.values()].sort((a, b) => b.length - a.length);
    return most?.at(-1) as Waiting;
  }

  #hasRoom({ organization, caller }: Sender, bytes: number): boolean {
    const { total, perOrganization, perCaller } = this.#bounds;
    return (
      this.#bytes + bytes <= total &&
      (this.#ofOrganization.get(organization) ?? 0) + bytes <= perOrganization &&
      (this.#ofCaller.get(caller) ?? 0) + bytes <= perCaller
    );
  }

  /** Whether a body is in a request's way, by the narrowest bound. */
  #isInTheWay({ sender: { organization, caller }, bytes }: Waiting, held: Held): boolean {
    const { perOrganization, perCaller } = this.#bounds;
    if ((this.#ofCaller.get(caller) ?? 0) + bytes > perCaller) {
      return held.sender.caller === caller;
    }
    return (
      (this.#ofOrganization.get(organization) ?? 0) + bytes <= perOrganization ||
      held.sender.organization === organization
    );
  }

  /** Lets in whoever there is room for: of those that hold least first, and then who came first. */
  #admit(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) {
      next.enter();
    }
  }

  #next(): Waiting | null {
    let next: Waiting | null = null;
    for (const each of this.#waiting) {
      if (this.#hasRoom(each.sender, each.bytes) && (next === null || this.#holdsLess(each, next))) {
        next = each;
      }
    }
    return next;
  }

  #holdsLess({ sender: a }: Waiting, { sender: b }: Waiting): boolean {
    return this.#weightOf(a) < this.#weightOf(b);
  }

  /** What its organization holds, and then what it does itself. */
  #weightOf({ organization, caller }: Sender): number {
    const ofCaller = this.#ofCaller.get(caller) ?? 0;
    return (this.#ofOrganization.get(organization) ?? 0) * this.#bounds.total + ofCaller;
  }

  #watch(): void {
    this.#timer ??= setInterval(() => this.#look(), this.#bounds.stall / 10).unref();
  }

  #look(): void {
    const { patience, deadline, stall } = this.#bounds;
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
    this.#makeRoom([...this.#held].filter((held) => !held.isComplete && now - held.progressAt > stall));
    if (this.#held.size === 0 && this.#waiting.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  /** Of bodies that came slowly those go that are in others' way, first of who has most; each leaves when it is answered. */
  #makeRoom(slow: Held[]): void {
    slow.sort((a, b) => this.#weightOf(b.sender) - this.#weightOf(a.sender) || a.progressAt - b.progressAt);
    for (const waiting of this.#waiting) {
      for (let wanted = waiting.bytes; wanted > 0 && slow.length > 0; ) {
        const at = slow.findIndex((held) => this.#isInTheWay(waiting, held));
        const [held] = at === -1 ? [] : slow.splice(at, 1);
        if (held === undefined) {
          break;
        }
        wanted -= held.bytes;
        this.#lose(held, 'stalled');
      }
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

function add(sums: Map<string, number>, key: string, amount: number): void {
  const sum = (sums.get(key) ?? 0) + amount;
  if (sum === 0) {
    sums.delete(key);
  } else {
    sums.set(key, sum);
  }
}
