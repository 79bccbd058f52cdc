import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { messageOf } from '../../base/errors.ts';

/**
 * Starts the parts of a process in order and stops them in reverse: graceful shutdown. A failure to stop one
 * part is logged and does not prevent stopping the others.
 */
export class Lifecycle {
  readonly #log: Logger;
  readonly #started: { name: string; stop: () => Promise<void> }[] = [];
  readonly #leaving = new AbortController();
  readonly #failure = Promise.withResolvers<unknown>();
  #stopping: Promise<void> | null = null;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Aborts when shutdown is announced, before anything stops. */
  get stopping(): AbortSignal {
    return this.#leaving.signal;
  }

  get failure(): Promise<unknown> {
    return this.#failure.promise;
  }

  fail(error: unknown): void {
    this.#failure.resolve(error);
  }

  async start<Part>(
    name: string,
    start: () => Part | Promise<Part>,
    stop: (part: Part) => unknown,
  ): Promise<Part> {
    const part = await start();
    this.#started.push({ name, stop: async () => void (await stop(part)) });
    this.#log.debug({ part: name }, 'Part started');
    return part;
  }

  /**
   * Graceful shutdown: announces it and, `notice` milliseconds later, stops all parts, newest first. Further
   * calls wait for the first.
   */
  stop(notice = 0): Promise<void> {
    this.#stopping ??= this.#stopAll(notice);
    return this.#stopping;
  }

  async #stopAll(notice: number): Promise<void> {
    this.#leaving.abort();
    if (notice > 0) {
      await pause(notice);
    }
    for (let part = this.#started.pop(); part !== undefined; part = this.#started.pop()) {
      try {
        await part.stop();
        this.#log.debug({ part: part.name }, 'Part stopped');
      } catch (error) {
        this.#log.error({ part: part.name, reason: messageOf(error) }, 'Part failed to stop cleanly');
      }
    }
  }
}
