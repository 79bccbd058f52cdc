import { setTimeout as pause } from 'node:timers/promises';
import { FairSemaphore } from '../../../base/fair-semaphore.ts';
import type { ReadMessage } from '../../../domain/messages/message.ts';
import type { MessageOutcome } from '../../../domain/messages/record-messages.ts';
import { organizationOf, weigh } from './reader-lanes.ts';

interface Recording {
  flush(messages: readonly ReadMessage[]): Promise<readonly MessageOutcome[]>;
  /** Whether another attempt may go through. */
  isPassing(error: unknown): boolean;
  /** Called at the beginning, and for each attempt that failed. */
  onSlow: ((error: unknown, message: ReadMessage) => void) | undefined;
}

/**
 * Messages that were not recorded within the time limit of a statement. Each is retried alone after pauses that double,
 * until it is recorded or the process stops. Organizations take turns. Later messages of the same reader do not wait:
 * the history is the same in any order.
 */
export class SlowMessages {
  readonly #recording: Recording;
  readonly #stop = new AbortController();
  readonly #turns = new FairSemaphore<number>({
    total: 1,
    perKey: 1,
    perKeyWithRoom: 1,
    waitingPerKey: Number.POSITIVE_INFINITY,
    patience: FOREVER,
  });
  #weight = 0;
  #count = 0;

  constructor(recording: Recording) {
    this.#recording = recording;
  }

  get count(): number {
    return this.#count;
  }

  /** @throws `error`, so that the reader keeps the message, if there is no room; when the process stops, the last error. */
  async submit(message: ReadMessage, error: unknown): Promise<MessageOutcome> {
    const weight = weigh(message);
    if (this.#stop.signal.aborted || (this.#count > 0 && this.#weight + weight > MOST_WEIGHT)) {
      throw error;
    }
    this.#count += 1;
    this.#weight += weight;
    try {
      return await this.#untilRecorded(message, error);
    } finally {
      this.#count -= 1;
      this.#weight -= weight;
    }
  }

  /** Gives up all that wait. An attempt under way may still be committed. */
  stop(): void {
    this.#stop.abort();
  }

  async #untilRecorded(message: ReadMessage, first: unknown): Promise<MessageOutcome> {
    const { flush, isPassing, onSlow } = this.#recording;
    const { signal } = this.#stop;
    let error = first;
    for (let ms = FIRST_PAUSE; !signal.aborted; ms = Math.min(2 * ms, LONGEST_PAUSE)) {
      onSlow?.(error, message);
      await pause(ms, undefined, { signal }).catch(() => {});
      try {
        const [outcome] = await this.#turns.run(organizationOf(message), () => flush([message]), signal);
        return outcome as MessageOutcome;
      } catch (next) {
        if (!signal.aborted && !isPassing(next)) {
          throw next;
        }
        error = signal.aborted ? error : next;
      }
    }
    throw error;
  }
}

/** A sixteenth of what may be held, as for messages that wait for a lock. */
const MOST_WEIGHT = 2_000;

/** Milliseconds. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 300_000;
const FOREVER = 2 ** 31 - 1;
