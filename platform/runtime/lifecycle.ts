import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { messageOf } from '../../base/errors.ts';

/**
 * The parts of a process in the order they were started in; stopping is that order reversed. A part that cannot be
 * stopped is reported and does not keep the others from being stopped.
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

  /** Aborts when stopping is announced, before anything is stopped. */
  get stopping(): AbortSignal {
    return this.#leaving.signal;
  }

  /** Resolves with what the process cannot go on after, if that ever comes. */
  get failure(): Promise<unknown> {
    return this.#failure.promise;
  }

  /** Tells that the process cannot go on. */
  fail(error: unknown): void {
    this.#failure.resolve(error);
  }

  /** Starts a part and remembers how to stop it. */
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
   * Announces that everything stops and, `notice` milliseconds later, stops what was started, newest first. Called
   * again, waits for the same.
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
