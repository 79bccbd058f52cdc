import type { Logger } from 'pino';
import { FairSemaphore } from '../../../base/fair-semaphore.ts';
import type { Format } from '../../../domain/formats/mapping/format.ts';
import type { MessageTask } from '../../../domain/formats/mapping/message-thread.ts';
import { type Mapped, type Message, mapMessage, type Policies } from '../../../domain/formats/mapping/run.ts';
import { MAX_PAYLOAD_BYTES } from '../../../domain/formats/mapping/values/limits.ts';
import {
  isOutOfMemory,
  TaskTookTooLong,
  THREADS,
  type WorkThreads,
} from '../../../platform/runtime/work-threads.ts';

/** Bytes beyond which payloads go to worker threads. Decoding that much takes 4 ms, with the slowest format 25. */
export const LARGE = 32_768;

export function isLarge({ length }: Buffer): boolean {
  return length > LARGE && length <= MAX_PAYLOAD_BYTES;
}

const MESSAGE_THREAD = new URL('../../../domain/formats/mapping/message-thread.ts', import.meta.url).href;

/** Milliseconds that reading a message may take. A mebibyte takes built-in formats 0.1 s, and others at most 1 s. */
const MOST_MS = 10_000;

/** The queue is bounded by `source/held-messages.ts`, and can wait: its messages are unacknowledged. */
const FOREVER = 2 ** 31 - 1;

/**
 * Decodes messages in worker threads that are large, or that their format makes much work of: 1 MiB takes 20 to 100 ms,
 * which would hold up all readers and, in one process with the API, all requests. Organizations take turns.
 */
export class LargeMessages {
  readonly #threads: WorkThreads;
  readonly #log: Logger;
  readonly #definitions = new WeakMap<Format, string>();
  readonly #turns = new FairSemaphore<number>({
    total: THREADS,
    perKey: 1,
    perKeyWithRoom: 1,
    waitingPerKey: Number.POSITIVE_INFINITY,
    patience: FOREVER,
  });

  constructor(threads: WorkThreads, log: Logger) {
    this.#threads = threads;
    this.#log = log;
  }

  /**
   * {@link mapMessage} in a worker thread. A message that takes more time or memory than a thread may give it is rejected.
   * If the thread fails for another reason, it runs here: slower for others, but no message is given up.
   */
  async read(
    orgId: number,
    format: Format,
    { topic, payload }: Message,
    policies: Partial<Policies>,
  ): Promise<Mapped> {
    // The payload may share its buffer with other messages.
    const task: MessageTask = {
      definition: this.#definitionOf(format),
      topic,
      payload: new Uint8Array(payload),
      policies,
    };
    const transferList = [task.payload.buffer];
    try {
      return await this.#turns.run(orgId, () =>
        this.#threads.run({
          module: MESSAGE_THREAD,
          name: 'read',
          argument: task,
          transferList,
          most: MOST_MS,
        }),
      );
    } catch (err) {
      if (err instanceof TaskTookTooLong || isOutOfMemory(err)) {
        const what =
          err instanceof TaskTookTooLong ? `${MOST_MS / 1_000} s` : 'the memory that a message may take';
        return { outcome: 'rejected', reason: `its format took more than ${what} to read it` };
      }
      this.#log.warn(
        { err, orgId, topic },
        'Large message could not be decoded in a worker thread; it is decoded on the main thread and holds up others',
      );
      return mapMessage(format, { topic, payload }, policies);
    }
  }

  #definitionOf(format: Format): string {
    const known = this.#definitions.get(format);
    if (known !== undefined) {
      return known;
    }
    const definition = JSON.stringify(format.definition);
    this.#definitions.set(format, definition);
    return definition;
  }
}
