import type { Clock } from '../../../base/clock.ts';
import { MICROS_PER_MILLISECOND, MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { DATABASE_NOW, TOLERATED_SKEW } from '../../../db/timescale/queries/database-clock.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { ReadMessage } from './message.ts';

/** This machine's clock is wrong: nothing dated by it may be written. */
export class ClocksApart extends Error {
  constructor(ahead: Micros) {
    const seconds = (Math.abs(ahead) / MICROS_PER_SECOND).toFixed(1);
    const side = ahead > 0 ? 'ahead of' : 'behind';
    super(
      `this machine's clock is ${seconds} s ${side} the database's; keep both in step with a time server`,
    );
  }
}

/**
 * Compares this process's clock with the database's at every batch: a position dated by a clock that is ahead would
 * stay until other clocks get there. While they are apart nothing is recorded, and messages wait unacknowledged
 * (tracking.md, What a scan is).
 */
export class DatabaseClock {
  readonly #clock: Clock;
  #ahead: Micros = 0;
  /** `performance.now()` when the clocks were last found apart. */
  #apartAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Seconds by which this process's clock was ahead at the last comparison; negative if behind; 0 within the error of
   * the round trip.
   */
  get ahead(): number {
    return this.#ahead / MICROS_PER_SECOND;
  }

  /**
   * @param databaseNow milliseconds since 1970 by the database's clock.
   * @param askedAt `performance.now()` before it was asked.
   * @throws ClocksApart
   */
  compare(databaseNow: number, askedAt: number): void {
    const now = performance.now();
    const own = this.#clock();
    const then = databaseNow * MICROS_PER_MILLISECOND;
    // The database said it at some moment since it was asked: it may have been busy, or this process.
    const most = own - then;
    const least = most - (now - askedAt) * MICROS_PER_MILLISECOND;
    this.#ahead = Math.round(least > 0 ? least : Math.min(0, most));
    if (Math.abs(this.#ahead) > TOLERATED_SKEW * MICROS_PER_MILLISECOND) {
      this.#apartAt = now;
      throw new ClocksApart(this.#ahead);
    }
  }

  /** {@link compare} with the database's answer. @throws ClocksApart; what the query throws. */
  async ask(db: Connection): Promise<void> {
    const askedAt = performance.now();
    const { now } = await db.one(sql.type(rowsOf<{ now: number }>())`
      select ${DATABASE_NOW} as now`);
    this.compare(now, askedAt);
  }

  /** Dates messages that came before the clocks were last found apart anew, by how long they have waited. */
  date(messages: readonly ReadMessage[]): void {
    const now = performance.now();
    for (const message of messages) {
      const { arrivedAt } = message;
      if (arrivedAt !== undefined && arrivedAt <= this.#apartAt) {
        message.receivedAt = this.#clock() - Math.round((now - arrivedAt) * MICROS_PER_MILLISECOND);
      }
    }
  }
}
