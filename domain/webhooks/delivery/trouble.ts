import type { NotedAttempt } from './recorder.ts';

/** The part of a log that is needed here. */
export interface DelivererLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Fields of its log lines. */
interface About {
  webhook: number;
  org: number;
}

/**
 * Logs once that a receiver fails, at the second attempt of an event, and once that it works again: a receiver that is
 * down for hours makes two lines, whatever its lanes try.
 */
export class Trouble {
  readonly #log: DelivererLog;
  readonly #about: About;
  readonly #lanes = new Set<number>();

  constructor(log: DelivererLog, about: About) {
    this.#log = log;
    this.#about = about;
  }

  note(lane: number, { outcome, number, status, error, position }: NotedAttempt): void {
    if (outcome === 'delivered') {
      if (this.#lanes.delete(lane) && this.#lanes.size === 0) {
        this.#log.info(this.#about, 'Webhook receiver takes its events again');
      }
    } else if (number > 1) {
      if (this.#lanes.size === 0) {
        this.#log.warn(
          { ...this.#about, position, status, reason: error },
          'Webhook receiver does not take its events; they wait and will be retried',
        );
      }
      this.#lanes.add(lane);
    }
  }
}
