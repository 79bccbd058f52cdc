import { faultOfTopicFilter } from '../registry/topic.ts';
import { BackOff } from './back-off.ts';
import type { BrokerConnection } from './broker-connection.ts';

export interface SubscriptionsOptions {
  connection: Pick<BrokerConnection, 'subscribe' | 'unsubscribe' | 'isResumed'>;
  group: string;
  /** Whether to share the load with the others of the group, or to have every message. */
  isShared: boolean;
  /** The topics and filters of the live readers. */
  wanted(): Iterable<string>;
  /** Topics that readers had; a session that was resumed may still hold them. */
  retired(): Promise<readonly string[]>;
  /** Told that the broker refuses a topic, and in how many milliseconds it is asked again. */
  onRefused(topic: string, reasonCode: number, pause: number): void;
  /** Told of what else went wrong; the connection's end is not reported. */
  onFault(error: unknown): void;
}

/**
 * What one connection is subscribed to: follows the registered topics. A topic that the broker refuses is asked for
 * again after a growing pause and keeps no other from being subscribed to.
 */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #held = new Set<string>();
  readonly #refused = new Map<string, { backOff: BackOff; until: number }>();
  readonly #dropped = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #isOutdated = false;
  #working: Promise<void> | null = null;

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
   * no reader's any more, and shared subscriptions where they are plain now, or the other way round.
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
    });
    return this.#working;
  }

  /** A message came on a topic that is no reader's: an earlier registration's subscription is still there. */
  drop(topic: string): void {
    if (this.#dropped.size < MOST_DROPPED && !this.#dropped.has(topic) && this.#isUsable(topic)) {
      this.#dropped.add(topic);
      this.#reporting(() => this.#unsubscribe([this.#plain(topic), this.#shared(topic)]));
    }
  }

  /** To be called when the connection has ended. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #update(): Promise<void> {
    const wanted = new Set(this.#options.wanted());
    for (const topic of this.#refused.keys()) {
      if (!wanted.has(topic)) {
        this.#refused.delete(topic);
      }
    }
    const missing = [...wanted].filter((topic) => !this.#held.has(topic) && this.#isDue(topic));
    await Promise.all(chunksOf(missing).map((chunk) => this.#subscribe(chunk)));
    const gone = [...this.#held].filter((topic) => !wanted.has(topic));
    await this.#unsubscribe(gone.map((topic) => this.#filter(topic)));
    for (const topic of gone) {
      this.#held.delete(topic);
    }
    this.#followWhenDue();
  }

  async #subscribe(topics: readonly string[]): Promise<void> {
    const answers = await this.#options.connection.subscribe(topics.map((topic) => this.#filter(topic)));
    topics.forEach((topic, index) => {
      const answer = answers[index] ?? UNSPECIFIED_ERROR;
      if (answer < UNSPECIFIED_ERROR) {
        this.#held.add(topic);
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
    const { wanted, retired, isShared } = this.#options;
    const topics = new Set([...wanted()].filter((topic) => this.#isUsable(topic)));
    const gone = (await retired()).filter((topic) => !topics.has(topic) && this.#isUsable(topic));
    await this.#unsubscribe([
      ...[...topics].map((topic) => (isShared ? this.#plain(topic) : this.#shared(topic))),
      ...gone.flatMap((topic) => [this.#plain(topic), this.#shared(topic)]),
    ]);
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

/** How many topics of no reader are let go of while messages come on them. */
const MOST_DROPPED = 1_000;

/** In bytes. */
const LONGEST_FILTER = 65_535;

/** From here on an answer to a subscription is a refusal. */
const UNSPECIFIED_ERROR = 128;

/** Milliseconds between attempts to subscribe to a topic that is refused. */
const ASK_AGAIN = { first: 2_000, longest: 60_000 };

function chunksOf(filters: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(filters.length / MOST_FILTERS) }, (_, index) =>
    filters.slice(index * MOST_FILTERS, (index + 1) * MOST_FILTERS),
  );
}
