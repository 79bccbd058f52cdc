import { FairSemaphore } from '../../../base/fair-semaphore.ts';
import type { ReadMessage } from '../../../domain/messages/message.ts';
import type { MessageOutcome } from '../../../domain/messages/record-messages.ts';
import { Batch, type BatchOptions, Pace } from '../../../domain/tracking/batch.ts';
import { type HeavyOrganizations, TooHeavy } from '../../../domain/tracking/location/heavy-organizations.ts';

interface Recording
  extends Pick<
    BatchOptions<ReadMessage, MessageOutcome>,
    'isOutage' | 'isNamed' | 'onOutage' | 'isBlocked' | 'onBlocked' | 'isTooSlow'
  > {
  heavy: HeavyOrganizations;
  flush: Flush;
  /** For batches with messages of others. @throws TooHeavy. */
  flushBounded?: Flush;
}

/** @param pace of a large batch. */
type Flush = (messages: readonly ReadMessage[], pace?: Pace) => Promise<readonly MessageOutcome[]>;

/**
 * Records messages in lanes, each reader's in order. Large messages have lanes of their own: committing
 * 9,999 unknown tags takes as long as a hundred ordinary messages, which would wait. So have those of organizations whose
 * scans take long to decide on, or whose messages ran out of time. The first of these is found in an ordinary lane, and goes
 * over to the others.
 *
 * A reader's pending messages are all on one side: small ones behind a large one go along with it, and before
 * a large one {@link free} waits until the small ones are done.
 */
export class ReaderLanes {
  readonly #ordinary: Batch<ReadMessage, MessageOutcome>;
  readonly #large: LargeLanes;
  /** The organizations of each batch that is under way in an ordinary lane. */
  readonly #ordinaryNow = new Set<ReadonlySet<number>>();
  readonly #underWay = new Map<number, UnderWay>();
  readonly #heavy: Recording['heavy'];
  readonly #isTooSlow: Recording['isTooSlow'];

  constructor({ heavy, flushBounded, ...recording }: Recording) {
    this.#heavy = heavy;
    this.#isTooSlow = recording.isTooSlow;
    const bounds = { weigh, maxBatch: MAX_BATCH, maxTenants: MAX_ORGANIZATIONS, maxHeld: MAX_HELD };
    const options = { ...recording, ...bounds, laneKey: readerOf, tenant: organizationOf };
    const flush = flushBounded ?? recording.flush;
    this.#ordinary = new Batch<ReadMessage, MessageOutcome>({
      ...options,
      flush: async (messages) => {
        const orgIds = new Set(messages.map(organizationOf));
        this.#ordinaryNow.add(orgIds);
        return flush(messages).finally(() => this.#ordinaryNow.delete(orgIds));
      },
      lanes: ORDINARY_LANES,
    });
    // An ordinary batch of the organization may wait for the large one's locks, and messages of others with it.
    this.#large = new LargeLanes(options, (orgId) =>
      this.#ordinaryNow.values().some((ids) => ids.has(orgId)),
    );
  }

  /** Null if the message may be submitted now; else resolves when its reader's pending messages are done. */
  free(message: Pick<ReadMessage, 'reader' | 'mapped'>): Promise<void> | null {
    const before = this.#underWay.get(readerOf(message));
    return before === undefined || before.isLarge || !this.#isLarge(message) ? null : before.done.promise;
  }

  enter(message: ReadMessage): void {
    const reader = readerOf(message);
    const underWay = this.#underWay.get(reader);
    if (underWay === undefined) {
      const done = Promise.withResolvers<void>();
      this.#underWay.set(reader, { isLarge: this.#isLarge(message), messages: 1, done });
    } else {
      underWay.messages += 1;
    }
  }

  /** Whether messages of the reader wait for a lock of another database session. */
  isBlocked(reader: number): boolean {
    return this.#ordinary.isAside(reader) || this.#large.isAside(reader);
  }

  submit(message: ReadMessage): Promise<MessageOutcome> {
    if (this.#underWay.get(readerOf(message))?.isLarge === true) {
      return this.#large.submit(message);
    }
    return this.#ordinary.submit(message).catch((error) => {
      if (error instanceof TooHeavy) {
        return this.#large.submit(message);
      }
      if (this.#isTooSlow?.(error) === true) {
        this.#heavy.note(organizationOf(message), Number.POSITIVE_INFINITY);
      }
      throw error;
    });
  }

  leave(message: ReadMessage): void {
    const reader = readerOf(message);
    const underWay = this.#underWay.get(reader);
    if (underWay !== undefined) {
      underWay.messages -= 1;
      if (underWay.messages === 0) {
        this.#underWay.delete(reader);
        underWay.done.resolve();
      }
    }
  }

  #isLarge({ reader, mapped }: Pick<ReadMessage, 'reader' | 'mapped'>): boolean {
    return (
      (mapped.outcome === 'items' && mapped.items.length > LARGE) ||
      (reader !== null && this.#heavy.isHeavy(reader.orgId))
    );
  }

  async drain(patience: number): Promise<void> {
    await Promise.all([this.#ordinary.drain(patience), this.#large.drain(patience)]);
  }
}

/**
 * Organizations take turns, one batch at a time. Organizations that keep these lanes busy have only one of them, so
 * that another organization's large message need not wait for theirs.
 */
class LargeLanes {
  readonly #options: LargeOptions;
  readonly #ofOrganizations = new Map<
    number,
    { batch: Batch<ReadMessage, MessageOutcome>; messages: number }
  >();
  /** By organization: the rest before its next batch may begin. */
  readonly #rests = new Map<number, Promise<void>>();
  readonly #turns = new FairSemaphore<number>({
    ...{ total: LARGE_LANES, kept: 1, perKey: 1, perKeyWithRoom: 1 },
    ...{ waitingPerKey: Number.POSITIVE_INFINITY, patience: FOREVER },
  });
  readonly #draining = new AbortController();
  readonly #isWaitedFor: (orgId: number) => boolean;

  /** @param isWaitedFor whether somebody may wait for locks of the organization's batch. */
  constructor(options: LargeOptions, isWaitedFor: (orgId: number) => boolean) {
    this.#options = options;
    this.#isWaitedFor = isWaitedFor;
  }

  async submit(message: ReadMessage): Promise<MessageOutcome> {
    const orgId = organizationOf(message);
    const own = this.#ofOrganizations.get(orgId) ?? { batch: this.#batchOf(orgId), messages: 0 };
    this.#ofOrganizations.set(orgId, own);
    own.messages += 1;
    try {
      return await own.batch.submit(message);
    } finally {
      own.messages -= 1;
      if (own.messages === 0) {
        this.#ofOrganizations.delete(orgId);
      }
    }
  }

  isAside(reader: number): boolean {
    return this.#batches().some((batch) => batch.isAside(reader));
  }

  async drain(patience: number): Promise<void> {
    this.#draining.abort();
    await Promise.all(this.#batches().map((batch) => batch.drain(patience)));
  }

  #batches(): Batch<ReadMessage, MessageOutcome>[] {
    return [...this.#ofOrganizations.values()].map(({ batch }) => batch);
  }

  #batchOf(orgId: number): Batch<ReadMessage, MessageOutcome> {
    const { flush } = this.#options;
    const batch = new Batch<ReadMessage, MessageOutcome>({
      ...this.#options,
      flush: async (messages) => {
        await this.#rests.get(orgId);
        return this.#turns.run(orgId, () => this.#paced(orgId, (pace) => flush(messages, pace)));
      },
      lanes: 1,
    });
    if (this.#draining.signal.aborted) {
      batch.drain(0);
    }
    return batch;
  }

  async #paced<Result>(orgId: number, work: (pace: Pace) => Promise<Result>): Promise<Result> {
    const pace = new Pace(this.#draining.signal, () => this.#isWaitedFor(orgId));
    try {
      return await work(pace);
    } finally {
      const resting = pace.rest().then(() => {
        this.#rests.delete(orgId);
      });
      this.#rests.set(orgId, resting);
    }
  }
}

type LargeOptions = Omit<BatchOptions<ReadMessage, MessageOutcome>, 'lanes' | 'flush'> &
  Pick<Recording, 'flush'>;

interface UnderWay {
  isLarge: boolean;
  messages: number;
  done: PromiseWithResolvers<void>;
}

/**
 * Concurrent batches, each on its own connection: while one waits for its commit or the network, another
 * keeps the database busy. Divided by reader, so that a reader's messages stay in order and two batches
 * rarely share an asset; if they do, the second waits at its position.
 */
const ORDINARY_LANES = 2;
const LARGE_LANES = 2;
export const LANES = ORDINARY_LANES + LARGE_LANES;

/** Milliseconds. The messages are unacknowledged, and bounded by `source/held-messages.ts`. */
const FOREVER = 2 ** 31 - 1;

/** Items plus payload at 256 bytes each: about 2,000 reads a transaction, and 8 MB before others wait for room. */
const MAX_BATCH = 4_000;
const MAX_HELD = 32_000;

/** A batch takes a lock for each; the server's table has room for 6,400 by default. */
const MAX_ORGANIZATIONS = 500;

const LARGE = 1_000;

function readerOf({ reader }: Pick<ReadMessage, 'reader'>): number {
  return reader?.readerId ?? NO_READER;
}

export const NO_READER = 0;

export function organizationOf({ reader }: ReadMessage): number {
  return reader?.orgId ?? 0;
}

export function weigh({ mapped, payload }: ReadMessage): number {
  return 1 + (mapped.outcome === 'items' ? mapped.items.length : 0) + (payload.head.length >> 8);
}
