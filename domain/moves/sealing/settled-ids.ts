import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

/**
 * The id of the queue up to which no row can be committed any more.
 *
 * Transactions draw ids, and commit in any order. A transaction that drew one holds a lock on the sequence until it
 * ends, and its rows are visible before the lock is released. So:
 *
 * 1. Read the last id drawn.
 * 2. List the transactions that hold a lock on the sequence.
 * 3. Once all of these have ended, everything up to that id is settled.
 *
 * (The oldest running transaction would do as well, but an import or a forgotten session would hold it up for hours.)
 */
export class SettledIds {
  #upTo = 0;
  /** Settled once all of these transactions have ended. */
  #next: { upTo: number; drawers: ReadonlySet<string> } | null = null;

  get upTo(): number {
    return this.#upTo;
  }

  /** Asks the database again. */
  async advance(db: Connection): Promise<void> {
    const lastDrawn = this.#next === null ? await readLastDrawn(db) : this.#next.upTo;
    const now = await readDrawers(db);
    const drawers = this.#next === null ? now : now.intersection(this.#next.drawers);
    if (drawers.size === 0) {
      this.#upTo = lastDrawn;
      this.#next = null;
    } else {
      this.#next = { upTo: lastDrawn, drawers };
    }
  }
}

async function readLastDrawn(db: Connection): Promise<number> {
  const { id } = await db.one(sql.prepared('last-drawn-move', rowsOf<{ id: number }>())`
    select case when is_called then last_value else last_value - 1 end as id from unsealed_moves_id_seq`);
  return id;
}

/** Transactions that may have drawn ids. Their names are never reused. */
async function readDrawers(db: Connection): Promise<Set<string>> {
  const rows = await db.any(sql.prepared('drawers-of-moves', rowsOf<{ name: string }>())`
    select virtualtransaction as name from pg_locks
    where locktype = 'relation' and mode = 'RowExclusiveLock' and relation = 'unsealed_moves_id_seq'::regclass
      and database = (select oid from pg_database where datname = current_database())`);
  return new Set(rows.map(({ name }) => name));
}
