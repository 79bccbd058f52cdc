import type { Clock } from '../../base/clock.ts';
import { MICROS_PER_MILLISECOND, MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';
import { DATABASE_NOW, TOLERATED_SKEW } from '../../db/timescale/queries/database-clock.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';

/** This machine's clock is wrong: nothing it dates may be written. */
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
 * Compares this process's clock with the database's: a position dated by a fast clock would stay until other clocks
 * reach its time. While they differ too much nothing is recorded (docs/tracking.md, What a scan is).
 */
export class DatabaseClock {
  readonly #clock: Clock;
  #ahead: Micros = 0;
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

  /** `performance.now()` when the clocks were last found apart; minus infinity if never. */
  get apartAt(): number {
    return this.#apartAt;
  }

  /**
   * @param databaseNow milliseconds since 1970 by the database's clock.
   * @param askedAt `performance.now()` before the query.
   * @throws ClocksApart
   */
  compare(databaseNow: number, askedAt: number): void {
    const now = performance.now();
    const own = this.#clock();
    const then = databaseNow * MICROS_PER_MILLISECOND;
    // The database read its clock at some moment since the query: it, or this process, may have been busy.
    const most = own - then;
    const least = most - (now - askedAt) * MICROS_PER_MILLISECOND;
    this.#ahead = Math.round(least > 0 ? least : Math.min(0, most));
    if (Math.abs(this.#ahead) > TOLERATED_SKEW * MICROS_PER_MILLISECOND) {
      this.#apartAt = now;
      throw new ClocksApart(this.#ahead);
    }
  }

  /** {@link compare} with the database's answer. @throws ClocksApart; errors of the query. */
  async ask(db: Connection): Promise<void> {
    const askedAt = performance.now();
    const { now } = await db.one(sql.prepared('ask-clock', rowsOf<{ now: number }>())`
      select ${DATABASE_NOW} as now`);
    this.compare(now, askedAt);
  }
}
