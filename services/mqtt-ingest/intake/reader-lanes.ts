import type { ReadMessage } from '../../../domain/messages/message.ts';
import type { MessageOutcome } from '../../../domain/messages/record-messages.ts';
import { Batch, type BatchOptions } from '../../../domain/tracking/batch.ts';
import { type HeavyOrganizations, TooHeavy } from '../../../domain/tracking/location/heavy-organizations.ts';

interface Recording
  extends Pick<
    BatchOptions<ReadMessage, MessageOutcome>,
    'flush' | 'isOutage' | 'isNamed' | 'onOutage' | 'isBlocked' | 'onBlocked' | 'isTooSlow'
  > {
  heavy: HeavyOrganizations;
  /** For batches with messages of others. @throws TooHeavy. */
  flushBounded?: BatchOptions<ReadMessage, MessageOutcome>['flush'];
}

/**
 * Records messages in lanes, each reader's in order. Large messages have a lane of their own: committing
 * 9,999 unknown tags takes as long as a hundred ordinary messages, which would wait. So have those of organizations whose
 * scans take long to decide on, or whose messages ran out of time. The first of these is found in an ordinary lane, and goes
 * over to the other.
 *
 * A reader's pending messages are all on one side: small ones behind a large one go along with it, and before
 * a large one {@link free} waits until the small ones are done.
 */
export class ReaderLanes {
  readonly #ordinary: Batch<ReadMessage, MessageOutcome>;
  readonly #large: Batch<ReadMessage, MessageOutcome>;
  readonly #underWay = new Map<number, UnderWay>();
  readonly #heavy: Recording['heavy'];
  readonly #isTooSlow: Recording['isTooSlow'];

  constructor({ heavy, flushBounded, ...recording }: Recording) {
    this.#heavy = heavy;
    this.#isTooSlow = recording.isTooSlow;
    const bounds = { weigh, maxBatch: MAX_BATCH, maxHeld: MAX_HELD };
    const options = { ...recording, ...bounds, laneKey: readerOf, tenant: organizationOf };
    this.#ordinary = new Batch<ReadMessage, MessageOutcome>({
      ...options,
      flush: flushBounded ?? recording.flush,
      lanes: ORDINARY_LANES,
    });
    this.#large = new Batch<ReadMessage, MessageOutcome>({ ...options, lanes: LANES - ORDINARY_LANES });
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
export const LANES = 3;
const ORDINARY_LANES = 2;

/** Items plus payload at 256 bytes each: about 2,000 reads a transaction, and at most 8 MB held on either side. */
const MAX_BATCH = 4_000;
const MAX_HELD = 32_000;

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
