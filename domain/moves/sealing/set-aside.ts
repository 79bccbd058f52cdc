import { messageOf } from '../../../base/errors.ts';
import { isHere } from '../../../db/timescale/queries/is-here.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { MOVES, type Queue } from './queues.ts';
import type { Unsealable } from './seal-apart.ts';

/** Milliseconds until an organization that was set aside is retried. */
const AGAIN = 5_000;

/** Characters of a reason. */
const LONGEST = 1_000;

export interface SealingFault extends Unsealable {
  /** The row at which the queue is stuck. Null if there is none. */
  moveId: number | null;
}

/**
 * Organizations whose queue is passed over because an event in it cannot be sealed. Their events stay in the queue.
 * Stored in the database, for `doctor` and for the next sealer; not those of changes, whose rows have nothing to be
 * refused for.
 */
export class SetAside {
  /** The time of each next retry; milliseconds of `performance.now()`. */
  readonly #again = new Map<number, { at: number; moveId: number | null }>();
  readonly #queue: Queue;

  constructor(queue: Queue) {
    this.#queue = queue;
  }

  get orgIds(): readonly number[] {
    return [...this.#again.keys()];
  }

  /** Loads those that an earlier sealer stored, to retry them at once. */
  async load(db: Connection): Promise<void> {
    if (this.#queue !== MOVES) {
      return;
    }
    const rows = await db.any(sql.type(rowsOf<{ org_id: number; move_id: number | null }>())`
      select org_id, move_id from sealing_faults fault where ${isHere(sql.fragment`fault.org_id`)}`);
    for (const { org_id: orgId, move_id: moveId } of rows) {
      this.#again.set(orgId, { at: 0, moveId });
    }
  }

  due(now: number): readonly number[] {
    return [...this.#again].flatMap(([orgId, { at }]) => (at <= now ? [orgId] : []));
  }

  /** @returns null if that is known already. */
  async add(db: Connection, { orgId, error }: Unsealable, now: number): Promise<SealingFault | null> {
    const moveId = await oldestOf(db, orgId, this.#queue);
    const known = this.#again.get(orgId);
    this.#again.set(orgId, { at: now + AGAIN, moveId });
    if (known !== undefined && known.moveId === moveId) {
      return null;
    }
    if (this.#queue !== MOVES) {
      return { orgId, error, moveId };
    }
    await db.exec(sql.type(NO_ROWS)`
      insert into sealing_faults (org_id, move_id, reason)
      values (${orgId}, ${moveId}, ${messageOf(error).slice(0, LONGEST)})
      on conflict (org_id) do update set move_id = excluded.move_id, reason = excluded.reason, since = now()`);
    return { orgId, error, moveId };
  }

  async remove(db: Connection, orgId: number): Promise<void> {
    this.#again.delete(orgId);
    if (this.#queue !== MOVES) {
      return;
    }
    await db.exec(sql.type(NO_ROWS)`delete from sealing_faults where org_id = ${orgId}`);
  }
}

async function oldestOf(db: Connection, orgId: number, { queue }: Queue): Promise<number | null> {
  const row = await db.maybeOne(sql.type(rowsOf<{ id: number }>())`
    select id from ${queue} where org_id = ${orgId} order by id, part limit 1`);
  return row?.id ?? null;
}
