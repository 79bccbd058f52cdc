import { faultOfTopicFilter } from '../../../domain/administration/readers/topic.ts';
import { BackOff } from './back-off.ts';
import type { BrokerConnection } from './broker-connection.ts';
import type { SessionRecord } from './sessions/session-record.ts';

export interface SubscriptionsOptions {
  connection: Pick<BrokerConnection, 'subscribe' | 'unsubscribe' | 'isResumed'>;
  group: string;
  /** Whether to share the load with the others of the group, or to have every message. */
  isShared: boolean;
  /** Of the topics and filters of the live readers, those that are this session's. */
  wanted(): Iterable<string>;
  isWanted(topic: string): boolean;
  /** The session that a topic of a live reader is to be held by if not by this one; null of a topic of no reader. */
  successorOf(topic: string): string | null;
  /** What a session that was resumed may be subscribed to, although nobody noted it. */
  inherited(): Promise<readonly string[]>;
  /** What is known of the session, whichever process had it. */
  record: Pick<SessionRecord, 'topics' | 'confirm' | 'forget' | 'release'>;
  /** Told that the broker refuses a topic, and in how many milliseconds it is asked again. */
  onRefused(topic: string, reasonCode: number, pause: number): void;
  /** Told of what else went wrong; the connection's end is not reported. */
  onFault(error: unknown): void;
}

/**
 * What one connection is subscribed to: follows the registered topics. A topic that the broker refuses is asked for
 * again after a growing pause and keeps no other from being subscribed to.
 *
 * A topic of a live reader that is this session's no longer is let go of once the session that has it now is known to
 * be subscribed to it, and not before: what is published between would be lost. So of a topic
 *
 *   wanted -> subscribed -> confirmed (noted in the database, so that others may let go)
 *   unwanted -> leaving -> released (in the database, if the successor has confirmed it) -> unsubscribed
 *
 * Subscribing never waits for the database; letting go does.
 */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #held = new Set<string>();
  readonly #refused = new Map<string, { backOff: BackOff; until: number }>();
  readonly #unconfirmed = new Set<string>();
  readonly #leaving = new Set<string>();
  /** What messages came on although it is not this session's. */
  readonly #strays = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #reconcileTimer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #isOutdated = false;
  #isRecordRead = false;
  #working: Promise<void> | null = null;
  #reconciling: Promise<void> | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  get isShared(): boolean {
    return this.#options.isShared;
  }

  get held(): number {
    return this.#held.size;
  }

  get refused(): number {
    return this.#refused.size;
  }

  /**
   * Subscribes to what is wanted, and only then lets go of what a resumed session holds from before: topics that are
   * no reader's any more, or another session's, and shared subscriptions where they are plain now, or the other way
   * round.
   */
  async begin(): Promise<void> {
    await this.follow();
    if (this.#options.connection.isResumed) {
      await this.#reporting(() => this.#letGoOfOld());
    }
  }

  /** Brings the subscriptions up to date; called while that is under way, does so once more. */
  follow(): Promise<void> {
    this.#isOutdated = true;
    this.#working ??= this.#reporting(async () => {
      while (this.#isOutdated && !this.#isClosed) {
        this.#isOutdated = false;
        await this.#update();
      }
    }).finally(() => {
      this.#working = null;
      this.#reconcile();
      // Asked for after the last look and before this.
      if (this.#isOutdated && !this.#isClosed) {
        void this.follow();
      }
    });
    return this.#working;
  }

  /** A message came on a topic, or by a filter, that is not this session's: an earlier subscription is still there. */
  drop(topic: string): void {
    if (this.#strays.size < MOST_STRAYS && !this.#strays.has(topic) && this.#isUsable(topic)) {
      this.#strays.add(topic);
      this.#leaving.add(topic);
      this.#reconcile();
    }
  }

  /** To be called when the connection has ended. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#reconcileTimer);
  }

  async #update(): Promise<void> {
    const wanted = new Set(this.#options.wanted());
    for (const topic of this.#refused.keys()) {
      if (!wanted.has(topic)) {
        this.#refused.delete(topic);
      }
    }
    const missing = [...wanted].filter((topic) => !this.#held.has(topic) && this.#isDue(topic));
    await this.#inTurn(() => Promise.all(chunksOf(missing).map((chunk) => this.#subscribe(chunk))));
    for (const topic of [...this.#held].filter((held) => !wanted.has(held))) {
      this.#held.delete(topic);
      this.#leaving.add(topic);
    }
    this.#followWhenDue();
  }

  async #subscribe(topics: readonly string[]): Promise<void> {
    const answers = await this.#options.connection.subscribe(topics.map((topic) => this.#filter(topic)));
    topics.forEach((topic, index) => {
      const answer = answers[index] ?? UNSPECIFIED_ERROR;
      if (answer < UNSPECIFIED_ERROR) {
        this.#held.add(topic);
        this.#unconfirmed.add(topic);
        this.#strays.delete(topic);
        this.#refused.delete(topic);
      } else {
        this.#refuse(topic, answer);
      }
    });
  }

  async #unsubscribe(filters: readonly string[]): Promise<void> {
    await Promise.all(chunksOf(filters).map((chunk) => this.#options.connection.unsubscribe(chunk)));
  }

  async #letGoOfOld(): Promise<void> {
    const { wanted, inherited, isShared } = this.#options;
    const inheritance = (await inherited()).filter((topic) => this.#isUsable(topic));
    if (inheritance.length > 0) {
      const others = [...wanted()].filter((topic) => this.#isUsable(topic));
      await this.#unsubscribe(others.map((topic) => (isShared ? this.#plain(topic) : this.#shared(topic))));
    }
    for (const topic of inheritance) {
      this.#leaving.add(topic);
    }
    this.#reconcile();
  }

  /** Confirms what was subscribed to and lets go of what may be let go of; again in a while if that is not all. */
  #reconcile(): void {
    clearTimeout(this.#reconcileTimer);
    this.#reconciling ??= this.#reporting(() => this.#reconcileOnce()).finally(() => {
      this.#reconciling = null;
      if (!this.#isClosed && (this.#leaving.size > 0 || this.#unconfirmed.size > 0)) {
        this.#reconcileTimer = setTimeout(() => this.#reconcile(), RECONCILE_AGAIN);
      }
    });
  }

  async #reconcileOnce(): Promise<void> {
    const { record, successorOf, isWanted } = this.#options;
    const leaving = () => [...this.#leaving].filter((topic) => !isWanted(topic));
    const free = leaving().filter((topic) => successorOf(topic) === null);
    await this.#letGo(free);
    if (!this.#isRecordRead) {
      const noted = await record.topics();
      this.#isRecordRead = true;
      for (const topic of noted.filter((each) => this.#isUsable(each))) {
        this.#unconfirmed.delete(topic);
        this.#leaving.add(topic);
      }
    }
    const unconfirmed = [...this.#unconfirmed];
    if (unconfirmed.length > 0) {
      await record.confirm(unconfirmed);
      for (const topic of unconfirmed) {
        this.#unconfirmed.delete(topic);
      }
    }
    if (free.length > 0) {
      await record.forget(free.filter((topic) => !isWanted(topic)));
    }
    const others = leaving().flatMap((topic) => {
      const successor = successorOf(topic);
      return successor === null ? [] : [{ topic, successor }];
    });
    if (others.length > 0) {
      await this.#letGo(await record.release(others));
    }
    for (const topic of [...this.#leaving].filter(isWanted)) {
      this.#leaving.delete(topic);
    }
  }

  /** Of either kind: which one an earlier process had is not known. What is wanted again by now is kept. */
  async #letGo(topics: readonly string[]): Promise<void> {
    await this.#inTurn(async () => {
      const gone = topics.filter((topic) => !this.#options.isWanted(topic));
      await this.#unsubscribe(gone.flatMap((topic) => [this.#plain(topic), this.#shared(topic)]));
      for (const topic of gone) {
        this.#held.delete(topic);
        this.#leaving.delete(topic);
        this.#unconfirmed.delete(topic);
      }
    });
  }

  /** One at a time, so that no filter is let go of whose subscription is on its way. */
  async #inTurn(work: () => Promise<unknown>): Promise<void> {
    const turn = this.#turn.catch(() => {}).then(work);
    this.#turn = turn;
    await turn;
  }

  #refuse(topic: string, reasonCode: number): void {
    const backOff = this.#refused.get(topic)?.backOff ?? new BackOff(ASK_AGAIN);
    const pause = backOff.next();
    this.#refused.set(topic, { backOff, until: performance.now() + pause });
    this.#options.onRefused(topic, reasonCode, pause);
  }

  #isDue(topic: string): boolean {
    return this.#isUsable(topic) && (this.#refused.get(topic)?.until ?? 0) <= performance.now();
  }

  #followWhenDue(): void {
    clearTimeout(this.#timer);
    if (this.#refused.size > 0 && !this.#isClosed) {
      const next = Math.min(...[...this.#refused.values()].map(({ until }) => until));
      this.#timer = setTimeout(() => this.follow(), Math.max(0, next - performance.now()) + 1);
    }
  }

  /** The client library takes one unusable filter for a fault of all. */
  #isUsable(topic: string): boolean {
    return faultOfTopicFilter(topic) === null && Buffer.byteLength(this.#shared(topic)) <= LONGEST_FILTER;
  }

  #filter(topic: string): string {
    return this.#options.isShared ? this.#shared(topic) : this.#plain(topic);
  }

  #plain(topic: string): string {
    return topic;
  }

  #shared(topic: string): string {
    return `$share/${this.#options.group}/${topic}`;
  }

  async #reporting(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.#isClosed) {
        this.#options.onFault(error);
      }
    }
  }
}

/** Some brokers take no more filters than these in one packet. */
const MOST_FILTERS = 8;

/** How many topics that are not the session's are let go of while messages come on them. */
const MOST_STRAYS = 1_000;

/** In bytes. */
const LONGEST_FILTER = 65_535;

/** From here on an answer to a subscription is a refusal. */
const UNSPECIFIED_ERROR = 128;

/** Milliseconds between attempts to subscribe to a topic that is refused. */
const ASK_AGAIN = { first: 2_000, longest: 60_000 };

/** Milliseconds after which it is looked again whether another session has what this one is to let go of. */
const RECONCILE_AGAIN = 500;

function chunksOf(filters: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(filters.length / MOST_FILTERS) }, (_, index) =>
    filters.slice(index * MOST_FILTERS, (index + 1) * MOST_FILTERS),
  );
}
