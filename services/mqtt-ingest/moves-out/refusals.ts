import { messageOf } from '../../../base/errors.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { PublishedFeed } from '../../../domain/moves/published/feeds.ts';
import {
  type Ladder,
  type PublishingFault,
  RefusedFeeds,
} from '../../../domain/moves/published/refused-feeds.ts';
import { type Message, Unpublished } from './messages.ts';

export interface RefusalHooks {
  /** An organization is passed over from now on. */
  onSetAside(fault: PublishingFault): void;
  /** From now on the broker is trusted to remember retained messages. */
  onMarkRefused(reason: string): void;
  /** Its moves are published again. */
  onMended(orgId: number): void;
}

/** Rarely: an attempt at which the broker ends the connection holds up everybody for a moment. */
const AGAIN: Ladder = { first: 5_000, longest: 300_000 };

/** Connections in a row that end before the same message is acknowledged: brokers are restarted, too. */
const LOST_IN_A_ROW = 3;

/**
 * Organizations whose messages the broker refuses, or whose query fails. Each is set aside and retried from time to
 * time, so that it holds up no other. Lives as long as the process, beyond connections.
 *
 * A refusal says which message it is about. A connection that ends says nothing: the organization whose message was
 * on its way comes last from then on, one message at a time, until it is clear which one ends it.
 */
export class Refusals {
  readonly #feeds = new RefusedFeeds();
  readonly #hooks: RefusalHooks;
  readonly #again: Ladder;
  #marksLost = 0;
  #isMarkRefused = false;
  /** At which the last connection ended. */
  #suspect: (Message & { orgId: number; times: number }) | null = null;

  constructor(hooks: RefusalHooks, again: Ladder = AGAIN) {
    this.#hooks = hooks;
    this.#again = again;
  }

  /** Call for each connection to the broker. */
  load(db: Connection): Promise<void> {
    return this.#feeds.load(db);
  }

  get isMarkRefused(): boolean {
    return this.#isMarkRefused;
  }

  /**
   * For a mark that was not published.
   *
   * @throws the error if another connection may succeed.
   */
  noteMark(error: unknown): void {
    if (!(error instanceof Unpublished)) {
      throw error;
    }
    this.#marksLost += 1;
    if (error.isLost && this.#marksLost < LOST_IN_A_ROW) {
      throw error;
    }
    this.#isMarkRefused = true;
    this.#hooks.onMarkRefused(error.message);
  }

  /** Without those that are passed over; doubtful ones last. */
  inTurn(feeds: readonly PublishedFeed[], now: number): PublishedFeed[] {
    const due = feeds.filter(({ orgId }) => this.#feeds.isDue(orgId, now));
    return [
      ...due.filter(({ orgId }) => !this.isDoubtful(orgId)),
      ...due.filter(({ orgId }) => this.isDoubtful(orgId)),
    ];
  }

  /** Its messages are to be sent one after another. */
  isDoubtful(orgId: number): boolean {
    return this.#feeds.has(orgId) || this.#suspect?.orgId === orgId;
  }

  /** @returns true if others can continue on the same connection. */
  async note(db: Connection, orgId: number, error: Unpublished): Promise<boolean> {
    const { refused, isLost } = error;
    if (isLost && !this.#feeds.has(orgId) && this.#suspectOf(orgId, refused) < LOST_IN_A_ROW) {
      return false;
    }
    this.#suspect = null;
    const fault = { orgId, topic: refused.topic, reason: error.message };
    if (await this.#feeds.add(db, fault, performance.now(), this.#again)) {
      this.#hooks.onSetAside(fault);
    }
    return !isLost;
  }

  /** Records that a query failed because of the organization's data; others continue on the same connection. */
  async noteFailed(db: Connection, orgId: number, error: unknown): Promise<void> {
    const fault = { orgId, topic: null, reason: messageOf(error) };
    if (await this.#feeds.add(db, fault, performance.now(), this.#again)) {
      this.#hooks.onSetAside(fault);
    }
  }

  /** After a successful step: clears what was set aside because of a failed query. */
  async stepped(db: Connection, orgId: number): Promise<void> {
    if (this.#feeds.topicOf(orgId) === null) {
      await this.caughtUp(db, orgId);
    }
  }

  /** These messages of an organization were acknowledged. */
  async taken(db: Connection, orgId: number, messages: readonly Message[]): Promise<void> {
    if (messages.some((message) => this.#isSuspect(message))) {
      this.#suspect = null;
    }
    const refusedAt = this.#feeds.topicOf(orgId);
    if (messages.some(({ topic }) => topic === refusedAt)) {
      await this.caughtUp(db, orgId);
    }
  }

  /** Nothing of the organization is left to send, for example because the asset at the topic has another key now. */
  async caughtUp(db: Connection, orgId: number): Promise<void> {
    if (this.#feeds.has(orgId)) {
      await this.#feeds.remove(db, orgId);
      this.#hooks.onMended(orgId);
    }
  }

  /** How many connections in a row have ended on it. */
  #suspectOf(orgId: number, message: Message): number {
    const times = this.#isSuspect(message) ? (this.#suspect?.times ?? 0) + 1 : 1;
    this.#suspect = { ...message, orgId, times };
    return times;
  }

  #isSuspect({ topic, payload }: Message): boolean {
    return this.#suspect?.topic === topic && this.#suspect.payload === payload;
  }
}
