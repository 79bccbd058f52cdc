import { leastOf } from '../../../base/extremes.ts';
import { faultOfTopicFilter } from '../../../domain/administration/readers/topic.ts';
import { BackOff } from './back-off.ts';
import type { BrokerConnection } from './broker-connection.ts';
import type { SessionRecord } from './sessions/session-record.ts';

export interface SubscriptionsOptions {
  connection: Pick<BrokerConnection, 'subscribe' | 'unsubscribe' | 'isResumed'>;
  group: string;
  /** True to share the load with the group; false to receive every message. */
  isShared: boolean;
  wanted(): Iterable<string>;
  isWanted(topic: string): boolean;
  /**
   * The session that should hold a live reader's topic if not this one; null for a topic without a reader.
   */
  successorOf(topic: string): string | null;
  inherited(): Promise<readonly string[]>;
  record: Pick<SessionRecord, 'topics' | 'confirm' | 'forget' | 'release'>;
  /** Called when the broker refuses a topic, with the milliseconds until the next attempt. */
  onRefused(topic: string, reasonCode: number, pause: number): void;
  onFault(error: unknown): void;
}

/**
 * Subscriptions of one connection, following the registered topics. A refused topic is retried with back-off
 * and does not hold up the others.
 *
 * A live reader's topic that moves to another session is unsubscribed once that session is known to be
 * subscribed: anything published between would be lost. The states of a topic:
 *
 * - wanted -> subscribed -> confirmed (in the database, so that others may let go)
 * - unwanted -> leaving -> released (in the database, if the successor has confirmed it) -> unsubscribed
 *
 * Subscribing never waits for the database; unsubscribing does.
 */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #held = new Set<string>();
  readonly #filters: TopicFilters;
  readonly #refused = new RefusedSubscriptions();
  readonly #unconfirmed = new Set<string>();
  readonly #leaving = new Set<string>();
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
    this.#filters = new TopicFilters(options.group, options.isShared);
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
   * Subscribes to wanted topics, then unsubscribes those a resumed session no longer needs: topics without a
   * reader or of another session, and shared subscriptions that are ordinary now, or vice versa.
   */
  async begin(): Promise<void> {
    await this.follow();
    if (this.#options.connection.isResumed) {
      await this.#reporting(() => this.#letGoOfOld());
    }
  }

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
      // Requested between the last check and now.
      if (this.#isOutdated && !this.#isClosed) {
        void this.follow();
      }
    });
    return this.#working;
  }

  /**
   * Call for a message on a topic, or by a filter, of another session: an earlier subscription still exists.
   */
  drop(topic: string): void {
    if (this.#strays.size < MOST_STRAYS && !this.#strays.has(topic) && this.#filters.isUsable(topic)) {
      this.#strays.add(topic);
      this.#leaving.add(topic);
      this.#reconcile();
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#reconcileTimer);
  }

  async #update(): Promise<void> {
    const wanted = new Set(this.#options.wanted());
    this.#refused.keepOnly(wanted);
    const missing = [...wanted].filter(
      (topic) => !this.#held.has(topic) && this.#filters.isUsable(topic) && this.#refused.isDue(topic),
    );
    await this.#inTurn(() => Promise.all(inPackets(missing).map((chunk) => this.#subscribe(chunk))));
    for (const topic of [...this.#held].filter((held) => !wanted.has(held))) {
      this.#held.delete(topic);
      this.#leaving.add(topic);
    }
    this.#followWhenDue();
  }

  async #subscribe(topics: readonly string[]): Promise<void> {
    const answers = await this.#options.connection.subscribe(topics.map((topic) => this.#filters.of(topic)));
    topics.forEach((topic, index) => {
      const answer = answers[index] ?? UNSPECIFIED_ERROR;
      if (answer < UNSPECIFIED_ERROR) {
        this.#held.add(topic);
        this.#unconfirmed.add(topic);
        this.#strays.delete(topic);
        this.#refused.delete(topic);
      } else {
        this.#options.onRefused(topic, answer, this.#refused.add(topic));
      }
    });
  }

  async #unsubscribe(filters: readonly string[]): Promise<void> {
    await Promise.all(inPackets(filters).map((chunk) => this.#options.connection.unsubscribe(chunk)));
  }

  async #letGoOfOld(): Promise<void> {
    const { wanted, inherited } = this.#options;
    const inheritance = (await inherited()).filter((topic) => this.#filters.isUsable(topic));
    if (inheritance.length > 0) {
      const others = [...wanted()].filter((topic) => this.#filters.isUsable(topic));
      await this.#unsubscribe(others.map((topic) => this.#filters.otherOf(topic)));
    }
    for (const topic of inheritance) {
      this.#leaving.add(topic);
    }
    this.#reconcile();
  }

  /**
   * Records new subscriptions and unsubscribes topics where permitted; retries in a while if any are left.
   */
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
      for (const topic of noted.filter((each) => this.#filters.isUsable(each))) {
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

  /** Unsubscribes both kinds, because an earlier process may have used either. Keeps topics wanted again. */
  async #letGo(topics: readonly string[]): Promise<void> {
    await this.#inTurn(async () => {
      const gone = topics.filter((topic) => !this.#options.isWanted(topic));
      await this.#unsubscribe(gone.flatMap((topic) => this.#filters.bothOf(topic)));
      for (const topic of gone) {
        this.#held.delete(topic);
        this.#leaving.delete(topic);
        this.#unconfirmed.delete(topic);
      }
    });
  }

  /** Serializes, so that no filter is unsubscribed while its subscription is on its way. */
  async #inTurn(work: () => Promise<unknown>): Promise<void> {
    const turn = this.#turn.catch(() => {}).then(work);
    this.#turn = turn;
    await turn;
  }

  #followWhenDue(): void {
    clearTimeout(this.#timer);
    const pause = this.#refused.untilDue();
    if (pause !== null && !this.#isClosed) {
      this.#timer = setTimeout(() => this.follow(), pause);
    }
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

const MOST_STRAYS = 1_000;

/** First refusal code of a SUBACK. */
const UNSPECIFIED_ERROR = 128;

/** Milliseconds until the next check whether another session holds the topics to let go. */
const RECONCILE_AGAIN = 500;

/** Milliseconds between attempts to subscribe to a refused topic. */
const ASK_AGAIN = { first: 2_000, longest: 60_000 };

class RefusedSubscriptions {
  readonly #topics = new Map<string, { backOff: BackOff; until: number }>();

  get size(): number {
    return this.#topics.size;
  }

  /** @returns the milliseconds until the next attempt. */
  add(topic: string): number {
    const backOff = this.#topics.get(topic)?.backOff ?? new BackOff(ASK_AGAIN);
    const pause = backOff.next();
    this.#topics.set(topic, { backOff, until: performance.now() + pause });
    return pause;
  }

  delete(topic: string): void {
    this.#topics.delete(topic);
  }

  keepOnly(wanted: ReadonlySet<string>): void {
    for (const topic of this.#topics.keys()) {
      if (!wanted.has(topic)) {
        this.#topics.delete(topic);
      }
    }
  }

  isDue(topic: string): boolean {
    return (this.#topics.get(topic)?.until ?? 0) <= performance.now();
  }

  /** Milliseconds until the next is due; null without any. */
  untilDue(): number | null {
    if (this.#topics.size === 0) {
      return null;
    }
    const next = leastOf([...this.#topics.values()].map(({ until }) => until));
    return Math.max(0, next - performance.now()) + 1;
  }
}

/** Bytes. */
const LONGEST_FILTER = 65_535;

/** Some brokers accept no more filters in one packet. */
const MOST_FILTERS = 8;

class TopicFilters {
  readonly isShared: boolean;
  readonly #group: string;

  constructor(group: string, isShared: boolean) {
    this.#group = group;
    this.isShared = isShared;
  }

  of(topic: string): string {
    return this.isShared ? this.#shared(topic) : topic;
  }

  /** The filter of the other kind, which an earlier process may have used. */
  otherOf(topic: string): string {
    return this.isShared ? topic : this.#shared(topic);
  }

  bothOf(topic: string): string[] {
    return [topic, this.#shared(topic)];
  }

  /** The client library rejects all filters if one is unusable. */
  isUsable(topic: string): boolean {
    return faultOfTopicFilter(topic) === null && Buffer.byteLength(this.#shared(topic)) <= LONGEST_FILTER;
  }

  #shared(topic: string): string {
    return `$share/${this.#group}/${topic}`;
  }
}

function inPackets(filters: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(filters.length / MOST_FILTERS) }, (_, index) =>
    filters.slice(index * MOST_FILTERS, (index + 1) * MOST_FILTERS),
  );
}
