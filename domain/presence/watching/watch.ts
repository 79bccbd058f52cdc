import { randomUUID } from 'node:crypto';
import type { Micros } from '../../../base/instant.ts';
import { texts, timestamps } from '../../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Interval } from '../intervals.ts';

interface Watch extends Interval {
  id: string;
}

/** Stretches that are kept while the database is away; the oldest are given up, as if nobody had heard anything then. */
const MOST = 100;

/** Keeps up until when this process could hear. */
export class IntakeWatch {
  #current: Watch | null = null;
  #ended: Watch[] = [];

  /** @param upTo every message received until then is committed; null while it cannot hear. */
  async note(db: Connection, now: Micros, upTo: Micros | null): Promise<void> {
    if (upTo === null && this.#current !== null) {
      this.#ended = [...this.#ended, this.#current].slice(-MOST);
      this.#current = null;
    } else if (upTo !== null) {
      this.#current ??= { id: randomUUID(), since: now, until: now };
      this.#current.until = Math.max(this.#current.until, upTo);
    }
    const watches = [...this.#ended, ...(this.#current === null ? [] : [this.#current])];
    if (watches.length > 0) {
      await storeWatches(db, watches);
      this.#ended = [];
    }
  }
}

async function storeWatches(db: Connection, watches: readonly Watch[]): Promise<void> {
  await db.exec(sql.prepared('keep-intake-watches', NO_ROWS)`
    insert into intake_watches as kept (id, started_at, ended_at)
    select id::uuid, since, until
    from unnest(${sql.binary(texts(watches.map(({ id }) => id)))}::text[],
      ${sql.binary(timestamps(watches.map(({ since }) => since)))}::timestamptz[],
      ${sql.binary(timestamps(watches.map(({ until }) => until)))}::timestamptz[]) as given (id, since, until)
    on conflict (id) do update set ended_at = greatest(kept.ended_at, excluded.ended_at)`);
}
