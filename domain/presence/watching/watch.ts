import { randomUUID } from 'node:crypto';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { storeWatches, type Watch } from './stored-watches.ts';

/** Stretches kept while the database is away; the oldest are dropped, as if nobody had heard anything then. */
const MOST = 100;

/** Shorter stretches are given up likewise: a connection that comes and goes would leave a row each time. */
const LEAST: Micros = 5 * MICROS_PER_SECOND;

/** A process that paused for longer, on a sleeping or stalled machine, heard nothing meanwhile. */
const LONGEST_PAUSE: Micros = 5 * MICROS_PER_SECOND;

/** While messages wait for their commit for longer, others may wait to be read, and be dated when they are. */
const LONGEST_WAIT: Micros = 10 * MICROS_PER_SECOND;

export interface Hearing {
  /** Every message that was received until then is committed. */
  settledUpTo: Micros;
  /** The time since the broker was last heard: a lost connection may not have been noticed yet. */
  quietFor: Micros;
}

/** When this process could hear: recorded in memory every second, and stored when the database can be reached. */
export class IntakeWatch {
  #current: Watch | null = null;
  #ended: Watch[] = [];
  #notedAt: Micros | null = null;

  /** @param hearing null while it is not connected to its broker. */
  note(now: Micros, hearing: Hearing | null): void {
    const sinceLast = now - (this.#notedAt ?? now);
    const canHear = hearing !== null && now - hearing.settledUpTo <= LONGEST_WAIT;
    this.#notedAt = now;
    if (!canHear || sinceLast > LONGEST_PAUSE || sinceLast < 0) {
      this.#end();
    }
    if (canHear) {
      this.#current ??= { id: randomUUID(), since: now, until: now };
      const { settledUpTo, quietFor } = hearing;
      this.#current.until = Math.max(this.#current.until, Math.min(settledUpTo, now - quietFor));
    }
  }

  async store(db: Connection): Promise<void> {
    const ended = this.#ended;
    const watches = [...ended, ...(this.#current === null ? [] : [{ ...this.#current }])].filter(isLong);
    if (watches.length > 0) {
      await storeWatches(db, watches);
    }
    this.#ended = this.#ended.filter((watch) => !ended.includes(watch));
  }

  #end(): void {
    if (this.#current !== null && isLong(this.#current)) {
      this.#ended = [...this.#ended, this.#current].slice(-MOST);
    }
    this.#current = null;
  }
}

function isLong({ since, until }: Watch): boolean {
  return until - since >= LEAST;
}
