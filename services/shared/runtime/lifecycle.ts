import type { Logger } from 'pino';
import { messageOf } from '../errors.ts';

/**
 * The parts of a process in the order they were started in; stopping is that order reversed. A part that cannot be
 * stopped is reported and does not keep the others from being stopped.
 */
export class Lifecycle {
  readonly #log: Logger;
  readonly #started: { name: string; stop: () => Promise<void> }[] = [];
  #stopping: Promise<void> | null = null;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Starts a part and remembers how to stop it. */
  async start<Part>(
    name: string,
    start: () => Part | Promise<Part>,
    stop: (part: Part) => unknown,
  ): Promise<Part> {
    const part = await start();
    this.#started.push({ name, stop: async () => void (await stop(part)) });
    this.#log.debug({ part: name }, 'started');
    return part;
  }

  /** Stops what was started, newest first. Called again, waits for the same. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll();
    return this.#stopping;
  }

  async #stopAll(): Promise<void> {
    for (let part = this.#started.pop(); part !== undefined; part = this.#started.pop()) {
      try {
        await part.stop();
        this.#log.debug({ part: part.name }, 'stopped');
      } catch (error) {
        this.#log.error({ part: part.name, reason: messageOf(error) }, 'could not be stopped in order');
      }
    }
  }
}
