import { setTimeout as pause } from 'node:timers/promises';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

/** Bounds of what waits for the sealer. */
export interface MostUnsealed {
  events: number;
  transitions: number;
}

const MOST: MostUnsealed = { events: 10_000, transitions: 500_000 };

/** Milliseconds. */
const LOOK_EVERY = 50;

interface Written extends MostUnsealed {
  id: number;
}

/**
 * Backpressure for a writer of many events of an organization: bounds how many of its own wait to be sealed. Looked up
 * by the ids it wrote, since counting a busy queue would read its dead rows.
 */
export class UnsealedBacklog {
  readonly #db: Connection;
  readonly #orgId: number;
  readonly #most: MostUnsealed;
  #waiting: Written[] = [];

  constructor(db: Connection, orgId: number, most = MOST) {
    this.#db = db;
    this.#orgId = orgId;
    this.#most = most;
  }

  add(written: Written): void {
    this.#waiting.push(written);
  }

  /**
   * Waits while the backlog exceeds the bounds.
   *
   * @returns false if it will not get smaller: an event of the organization cannot be sealed.
   */
  async drain(signal?: AbortSignal): Promise<boolean> {
    while (this.#isTooMuch() && signal?.aborted !== true) {
      await this.#forgetSealed();
      if (this.#isTooMuch()) {
        if (await this.#isSetAside()) {
          return false;
        }
        await pause(LOOK_EVERY, undefined, { signal }).catch(() => {});
      }
    }
    return true;
  }

  async #isSetAside(): Promise<boolean> {
    const row = await this.#db.maybeOne(sql.prepared('is-set-aside', NO_ROWS)`
      select from sealing_faults where org_id = ${this.#orgId}`);
    return row !== null;
  }

  #isTooMuch(): boolean {
    const sum = { events: 0, transitions: 0 };
    for (const { events, transitions } of this.#waiting) {
      sum.events += events;
      sum.transitions += transitions;
    }
    return sum.events > this.#most.events || sum.transitions > this.#most.transitions;
  }

  /** They are sealed in order of their ids. */
  async #forgetSealed(): Promise<void> {
    const { id } = await this.#db.one(sql.prepared('oldest-unsealed-of', rowsOf<{ id: number | null }>())`
      select min(id) as id from unnest(${sql.array(
        this.#waiting.map((written) => written.id),
        'int8',
      )}) as written (id)
      where exists (select from unsealed_moves where org_id = ${this.#orgId} and unsealed_moves.id = written.id)`);
    this.#waiting = id === null ? [] : this.#waiting.filter((written) => written.id >= id);
  }
}
