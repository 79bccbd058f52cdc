import { setTimeout as pause } from 'node:timers/promises';
import { type FeedEvent, isAlert } from '../../moves/event.ts';
import type { Attempt } from '../sending/deliver.ts';
import { nextAttemptIn, restAfter } from '../sending/retry-ladder.ts';
import type { StateReason } from '../stored-webhook.ts';
import type { Picked, PickedEvent, Settled } from './pick-events.ts';
import { LaneLost, type LaneState, type NotedAttempt } from './recorder.ts';

/** Progress of a lane when it was claimed. */
export interface LaneStart {
  lane: number;
  position: number;
  attemptedPosition: number | null;
  attempts: number;
  /** Seconds until the next attempt; null or less than 0 for at once. */
  dueIn: number | null;
  /** It has sent something beyond its position. */
  hasSettled: boolean;
}

/** The dependencies of a lane. */
export interface LaneParts {
  /** Of the feed, as far as known. */
  head(): number;
  pick(lane: number, after: number, head: number): Promise<Picked>;
  /** Notes which events are about to be sent as one. @throws LaneLost. */
  note(lane: number, settled: Settled): Promise<void>;
  /** The number of events merged into one. */
  onSettled(events: number): void;
  /** Takes that back: nothing has arrived. @throws LaneLost. */
  takeBack(lane: number, settled: Settled): Promise<void>;
  /** Null if it was cut off, so that its outcome is unknown. */
  send(event: FeedEvent): Promise<Attempt | null>;
  record(state: Omit<LaneState, 'orgId' | 'webhookId'>, attempt: NotedAttempt | null): Promise<void>;
  /** Waits until the organization may read events or send one. */
  pace(): Promise<void>;
  /** Waits for a turn to send. */
  turn(work: () => Promise<void>): Promise<void>;
  /** Nothing more can be delivered. */
  end(reason: StateReason): Promise<void>;
  ladder: readonly number[];
  random(): number;
  /** Ends the lane, also while it waits. */
  signal: AbortSignal;
}

/** Milliseconds after which a lane lets others have a turn. */
const TURN = 1_000;

/** Most deliveries whose commit is under way while the next event is sent. */
const UNRECORDED = 32;

/** Milliseconds between retries while the database does not answer. */
const AGAIN = 1_000;

/**
 * One lane of a webhook: the events of an eighth of the assets, one at a time and in order.
 *
 * 1. An event is sent once all earlier events of its lane are delivered, and all earlier ones of its asset recorded.
 *    So only an asset's last event can be sent again after a crash, and the positions of an asset never go back.
 * 2. Deliveries of other assets need not be recorded yet: a lane sends while its commits are under way.
 * 3. An event that is refused blocks its lane, until it is delivered or the last attempt has failed.
 * 4. After an endless answer the lane rests, although the event is delivered.
 * 5. A merged event is noted before it is sent, so that after a crash it is sent again unchanged. It is merged with
 *    later ones only if it certainly did not arrive.
 */
export class Lane {
  /** Its number within the webhook. */
  readonly number: number;
  readonly #parts: LaneParts;
  #position: number;
  #recordedPosition: number;
  /** The lane's position if the attempted event had been delivered. */
  #attemptedPosition: number | null;
  #attempts: number;
  /** `performance.now()`. */
  #due: number;
  /** Endless answers, one after another. */
  #endless = 0;
  #isIdle = false;
  /** Ends a hold early; null unless the lane waits for one. */
  #hold: AbortController | null = null;
  #woken = Promise.withResolvers<void>();
  /** Commits under way, by asset or reader. */
  readonly #unrecorded = new Map<number, Promise<void>>();

  constructor({ lane, position, attemptedPosition, attempts, dueIn }: LaneStart, parts: LaneParts) {
    this.#parts = parts;
    this.number = lane;
    this.#position = position;
    this.#recordedPosition = position;
    this.#attemptedPosition = attemptedPosition;
    this.#attempts = attempts;
    this.#due = performance.now() + (dueIn ?? 0) * 1_000;
    parts.signal.addEventListener('abort', () => this.#woken.resolve(), { once: true });
  }

  /** Everything up to here is done. */
  get position(): number {
    return this.#position;
  }

  /** New events up to `to`, some of them for this lane if `isTouched`; else an idle lane skips them. */
  sealed(from: number, to: number, isTouched: boolean): void {
    if (!isTouched && this.#isIdle && this.#position >= from) {
      this.#position = Math.max(this.#position, to);
    } else {
      this.#woken.resolve();
    }
  }

  /** Call when the webhook was changed: it may no longer have to wait. */
  reconsider(): void {
    this.#hold?.abort();
  }

  /** Runs until it is stopped; by then everything sent is recorded. */
  async run(): Promise<void> {
    const { signal } = this.#parts;
    while (!signal.aborted) {
      try {
        await this.#step();
      } catch (error) {
        if (signal.aborted || error instanceof LaneLost) {
          break;
        }
        // A fault of the database, logged where it is used.
        await pause(AGAIN, undefined, { signal }).catch(() => {});
      }
    }
    await Promise.allSettled(this.#unrecorded.values());
  }

  /** Saves the position up to which no event was wanted, so that it is not searched again. */
  async noteSkipped(): Promise<void> {
    if (this.#position !== this.#recordedPosition && this.#unrecorded.size === 0 && this.#attempts === 0) {
      await this.#record(null);
    }
  }

  async #step(): Promise<void> {
    const { head, turn, signal } = this.#parts;
    const left = this.#due - performance.now();
    if (left > 0) {
      await this.#sleep(Math.min(left, LONGEST_TIMER));
      return;
    }
    this.#hold = null;
    if (this.#position >= head()) {
      this.#woken = Promise.withResolvers<void>();
      this.#isIdle = true;
      if (!signal.aborted) {
        await this.#woken.promise;
      }
      this.#isIdle = false;
      return;
    }
    await turn(() => this.#useTurn());
  }

  async #sleep(milliseconds: number): Promise<void> {
    const { signal } = this.#parts;
    const hold = this.#hold;
    const either = hold === null ? signal : AbortSignal.any([signal, hold.signal]);
    await pause(milliseconds, undefined, { signal: either }).catch((error) => {
      if (hold?.signal.aborted !== true) {
        throw error;
      }
      this.#due = performance.now();
    });
  }

  async #useTurn(): Promise<void> {
    const { pick, head, pace, signal } = this.#parts;
    await pace();
    const picked = await pick(this.number, this.#position, head());
    // After reading: when reading took longer than a turn, nothing was ever sent.
    const until = performance.now() + TURN;
    if (picked.isExpired) {
      await this.#parts.end('expired');
      return;
    }
    for (const each of picked.events) {
      if (signal.aborted || performance.now() >= until) {
        return;
      }
      if (!(await this.#deliver(each))) {
        return;
      }
    }
    this.#position = Math.max(this.#position, picked.upTo);
    if (picked.heldFor !== undefined) {
      this.#due = performance.now() + picked.heldFor * 1_000;
      this.#hold = new AbortController();
    }
  }

  /** @returns whether the lane may go on to the next. */
  async #deliver({ event, doneTo, settled }: PickedEvent): Promise<boolean> {
    const { note, takeBack, onSettled, send, end, pace, ladder, random } = this.#parts;
    if (event === null && settled === null) {
      this.#position = Math.max(this.#position, doneTo);
      return true;
    }
    const subject = event === null ? settled?.subject : subjectOf(event);
    await this.#unrecorded.get(subject ?? 0);
    if (this.#unrecorded.size >= UNRECORDED) {
      await Promise.all(this.#unrecorded.values());
    }
    await pace();
    if (settled !== null && !settled.isBegun) {
      await note(this.number, settled);
    }
    if (event === null) {
      onSettled(settled?.events ?? 0);
      this.#position = Math.max(this.#position, doneTo);
      return true;
    }
    const attempts = (this.#attemptedPosition === doneTo ? this.#attempts : 0) + 1;
    const attempt = await send(event);
    if (attempt === null) {
      return false;
    }
    const noted = { ...attempt, position: event.data.position, number: attempts };
    if (attempt.outcome === 'delivered') {
      onSettled(settled?.events ?? 0);
      this.#position = Math.max(this.#position, doneTo);
      this.#attemptedPosition = null;
      this.#attempts = 0;
      this.#recordBehind(subjectOf(event), noted);
      this.#endless = attempt.isEndless ? this.#endless + 1 : 0;
      this.#due = performance.now() + restAfter(this.#endless, ladder) * 1_000;
      return !attempt.isEndless;
    }
    if (settled !== null && attempt.isUnsent && !settled.isBegun) {
      await takeBack(this.number, settled);
    }
    const dueIn = nextAttemptIn(attempts, attempt.retryAfter, random(), ladder);
    this.#attemptedPosition = doneTo;
    this.#attempts = attempts;
    this.#due = performance.now() + (dueIn ?? 0) * 1_000;
    await this.#record(noted);
    if (attempt.outcome === 'gone' || dueIn === null) {
      await end(attempt.outcome === 'gone' ? 'gone' : 'undeliverable');
    }
    return false;
  }

  #recordBehind(subject: number, attempt: NotedAttempt): void {
    const recorded = this.#record(attempt).finally(() => {
      if (this.#unrecorded.get(subject) === recorded) {
        this.#unrecorded.delete(subject);
      }
    });
    // Whoever awaits it learns of it.
    recorded.catch(() => {});
    this.#unrecorded.set(subject, recorded);
  }

  #record(attempt: NotedAttempt | null): Promise<void> {
    const isDue = this.#attempts === 0;
    this.#recordedPosition = this.#position;
    return this.#parts.record(
      {
        lane: this.number,
        position: this.#position,
        attemptedPosition: this.#attemptedPosition,
        attempts: this.#attempts,
        dueIn: isDue ? null : Math.max(0, this.#due - performance.now()) / 1_000,
      },
      attempt,
    );
  }
}

/** The id of the asset whose events stay in order; less than 0 of a reader. */
function subjectOf(event: FeedEvent): number {
  if (!isAlert(event)) {
    return event.data.asset.id;
  }
  const { asset, reader } = event.data.alert;
  return asset?.id ?? -(reader?.id ?? 0);
}

const LONGEST_TIMER = 2 ** 31 - 1;
