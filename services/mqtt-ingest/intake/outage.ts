import { messageOf } from '../../../base/errors.ts';

/** Longer than an attempt to commit takes, whatever the database does, and the pause before the next. */
const REMEMBERED = 70_000;

/**
 * Whether messages wait because they cannot be recorded, whatever the reason: a full disk, a used-up sequence, a missing
 * privilege.
 */
export class Outage {
  #last: { error: unknown; at: number } | null = null;

  failed(error: unknown): void {
    this.#last = { error, at: performance.now() };
  }

  committed(): void {
    this.#last = null;
  }

  /** @throws the reason if the last attempt failed. */
  async requireNone(): Promise<void> {
    if (this.#last !== null && performance.now() - this.#last.at < REMEMBERED) {
      throw new Error(`messages wait, as they cannot be recorded: ${messageOf(this.#last.error)}`);
    }
  }
}
