import { Batch, type BatchOptions } from '../../../domain/tracking/batch.ts';
import type { ReadMessage } from './message.ts';
import type { MessageOutcome } from './record-messages.ts';

type Recording = Pick<BatchOptions<ReadMessage, MessageOutcome>, 'flush' | 'isOutage' | 'onOutage'>;

/**
 * Records messages in lanes, of each reader in the order in which they are handed in. Large ones have a lane of their own:
 * the commit of 9,999 unknown tags takes as long as those of a hundred ordinary messages, which would wait for it.
 *
 * All that a reader has under way is on the same side: behind a large message its small ones go along with that, and in
 * front of a large one {@link free} waits until its small ones are done.
 */
export class ReaderLanes {
  readonly #ordinary: Batch<ReadMessage, MessageOutcome>;
  readonly #large: Batch<ReadMessage, MessageOutcome>;
  readonly #underWay = new Map<number, UnderWay>();

  constructor(recording: Recording) {
    const options = { ...recording, weigh, laneKey: readerOf, maxBatch: MAX_BATCH, maxHeld: MAX_HELD };
    this.#ordinary = new Batch<ReadMessage, MessageOutcome>({ ...options, lanes: ORDINARY_LANES });
    this.#large = new Batch<ReadMessage, MessageOutcome>({ ...options, lanes: LANES - ORDINARY_LANES });
  }

  /** When the message may be handed in: null for now, else when what its reader has under way is done. */
  free(message: Pick<ReadMessage, 'reader' | 'mapped'>): Promise<void> | null {
    const before = this.#underWay.get(readerOf(message));
    return before === undefined || before.isLarge || !isLarge(message) ? null : before.done.promise;
  }

  /** A message that is free to go has a place with the others of its reader until {@link leave}. */
  enter(message: ReadMessage): void {
    const reader = readerOf(message);
    const underWay = this.#underWay.get(reader);
    if (underWay === undefined) {
      const done = Promise.withResolvers<void>();
      this.#underWay.set(reader, { isLarge: isLarge(message), messages: 1, done });
    } else {
      underWay.messages += 1;
    }
  }

  /** {@link Batch.submit}, of a message that has entered. */
  submit(message: ReadMessage): Promise<MessageOutcome> {
    const isLarge = this.#underWay.get(readerOf(message))?.isLarge === true;
    return (isLarge ? this.#large : this.#ordinary).submit(message);
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

  /** {@link Batch.drain} */
  async drain(patience: number): Promise<void> {
    await Promise.all([this.#ordinary.drain(patience), this.#large.drain(patience)]);
  }
}

/** What a reader has handed in that is not done with. */
interface UnderWay {
  isLarge: boolean;
  messages: number;
  done: PromiseWithResolvers<void>;
}

/**
 * Batches committed at once, each on a connection of its own: while one waits for its commit or for the network,
 * another keeps the database at work. By reader, so that messages of a reader stay in order and the same assets are
 * seldom in two batches; where they are, the second waits for the first at their positions.
 */
export const LANES = 3;
const ORDINARY_LANES = 2;

/** In items and, at 256 bytes each, payload: about 2,000 reads a transaction, and at the most 8 MB held on either side. */
const MAX_BATCH = 4_000;
const MAX_HELD = 32_000;

/** In items: a quarter of a batch. */
const LARGE = 1_000;

function isLarge({ mapped }: Pick<ReadMessage, 'mapped'>): boolean {
  return mapped.outcome === 'items' && mapped.items.length > LARGE;
}

function readerOf({ reader }: Pick<ReadMessage, 'reader'>): number {
  return reader?.readerId ?? NO_READER;
}

/** Has the messages on topics that no reader has. */
export const NO_READER = 0;

function weigh({ mapped, payload }: ReadMessage): number {
  return 1 + (mapped.outcome === 'items' ? mapped.items.length : 0) + (payload.head.length >> 8);
}
