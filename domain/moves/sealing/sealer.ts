import { messageOf } from '../../../base/errors.ts';
import { bigints, integers } from '../../../db/timescale/queries/array-parameters.ts';
import { isHere } from '../../../db/timescale/queries/is-here.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { organizationsOf } from './announcements.ts';
import { MOVES, type Queue } from './queues.ts';
import { sealOrders, type Unsealable } from './seal-apart.ts';
import { SealingTurns } from './sealing-turns.ts';

/** Milliseconds until an organization that was set aside is retried. */
const AGAIN = 5_000;

/** Characters of a reason. */
const LONGEST = 1_000;

export interface SealingFault extends Unsealable {
  /** The row at which the queue is stuck. Null if there is none. */
  moveId: number | null;
}

/**
 * Milliseconds between visits to all organizations, because a notification may be lost: while there is work, and after.
 */
const LOOK_EVERY = { busy: 1_000, idle: 5_000 };

/** Rows per batch, and its target duration in milliseconds: other organizations wait that long behind a backlog. */
const ROWS = { first: 250, least: 100, most: 8_000 };
const TARGET = { least: 50, most: 100 };

/** Statements that may fail in a row between other work, where every organization's fail. */
const FAILURES_AT_ONCE = 20;

export interface SealingFigures {
  sealed: number;
  /** Events that wait in queues longer than a batch; {@link COUNTED} stands for as many or more. */
  unsealed: number;
  /** Seconds from recording to sealing, of the oldest event of the last batch; 0 if there was none. */
  lag: number;
  /** Organizations that are passed over, because an event of theirs cannot be sealed. */
  setAside: readonly number[];
}

export const NOTHING_SEALED: SealingFigures = { sealed: 0, unsealed: 0, lag: 0, setAside: [] };

export interface SealingHooks {
  /** An organization is set aside: its events are not sealed until it is mended. */
  onSetAside?: ((fault: SealingFault) => void) | undefined;
  /** An organization that was set aside is sealed again. */
  onMended?: ((orgId: number) => void) | undefined;
}

/** Backlogs are counted up to this many rows. */
export const COUNTED = 100_000;

/**
 * Gives the events of a feed their positions, turn by turn, on the connection that holds the lock: a process that has
 * lost it seals nothing.
 */
export class Sealer {
  readonly #figures: SealingFigures;
  readonly #hooks: SealingHooks;
  readonly #turns = new SealingTurns();
  readonly #queue: Queue;
  readonly #settled: SettledIds;
  readonly #aside: SetAside;
  #nextLook = 0;
  /** Something was sealed since the last visit. */
  #isBusy = false;
  #isLoaded = false;
  /** Rows that the next batch may have. */
  #rows = ROWS.first;

  constructor(figures: SealingFigures, hooks: SealingHooks = {}, queue: Queue = MOVES) {
    this.#figures = figures;
    this.#hooks = hooks;
    this.#queue = queue;
    this.#settled = new SettledIds(queue);
    this.#aside = new SetAside(queue);
  }

  /** Takes a notification that events were written: its organizations go first. */
  hear(payload: string | undefined): void {
    const named = organizationsOf(payload);
    if (named === null) {
      this.#nextLook = 0;
    } else {
      this.#turns.call(named);
    }
  }

  /**
   * Seals the organizations it was notified of, and every few seconds those of all.
   *
   * @param milliseconds after which it stops if others wait.
   * @returns milliseconds until the next turn; 0 if something is left to seal.
   */
  async turn(db: Connection, milliseconds = Number.POSITIVE_INFINITY): Promise<number> {
    const began = performance.now();
    if (began >= this.#nextLook) {
      await this.#look(db, began);
    }
    const until = performance.now() + milliseconds;
    while (!this.#turns.isDone && performance.now() < Math.min(this.#nextLook, until)) {
      await this.#sealNext(db);
    }
    return this.#turns.isDone ? Math.max(1, this.#nextLook - performance.now()) : 0;
  }

  async #look(db: Connection, now: number): Promise<void> {
    if (!this.#isLoaded) {
      await this.#aside.load(db);
      this.#aside.orgIds.forEach((orgId) => {
        this.#turns.setAside(orgId);
      });
      this.#isLoaded = true;
    }
    await this.#settled.advance(db);
    await this.#tryAgain(db);
    this.#turns.visit(await readOrganizations(db));
    this.#figures.unsealed = await countBacklogs(db, this.#queue, this.#turns.backlogs());
    const isBusy = this.#isBusy || this.#figures.setAside.length > 0 || this.#turns.backlogs().length > 0;
    this.#nextLook = now + LOOK_EVERY[isBusy ? 'busy' : 'idle'];
    this.#isBusy = false;
  }

  async #sealNext(db: Connection): Promise<void> {
    const rows = this.#rows;
    const orders = this.#turns.next(rows);
    const safe = this.#settled.upTo;
    const began = performance.now();
    const { sealed, unsealable } = await sealOrders(db, orders, this.#queue);
    const took = performance.now() - began;
    await this.#setAside(db, unsealable);
    this.#turns.done(orders, sealed, safe);
    this.#figures.sealed += sealed.reduce((sum, each) => sum + each.rows, 0);
    this.#figures.lag = sealed.reduce((most, { age }) => Math.max(most, age), 0);
    if (sealed.length > 0) {
      this.#isBusy = true;
      this.#nextLook = Math.min(this.#nextLook, began + LOOK_EVERY.busy);
    }
    if (took > TARGET.most) {
      this.#rows = Math.max(ROWS.least, rows / 2);
    } else if (took < TARGET.least && this.#turns.backlogs().length > 0) {
      this.#rows = Math.min(ROWS.most, rows * 2);
    }
  }

  async #setAside(db: Connection, unsealable: readonly Unsealable[]): Promise<void> {
    for (const each of unsealable) {
      this.#turns.setAside(each.orgId);
      const fault = await this.#aside.add(db, each, performance.now());
      if (fault !== null) {
        this.#hooks.onSetAside?.(fault);
      }
    }
    this.#figures.setAside = this.#aside.orgIds;
  }

  /** Retries each organization that was set aside on its own: a batch with others would have to be sealed twice. */
  async #tryAgain(db: Connection): Promise<void> {
    let failed = 0;
    for (const orgId of this.#aside.due(performance.now())) {
      if (failed === FAILURES_AT_ONCE) {
        break;
      }
      const { sealed, unsealable } = await sealOrders(db, [this.#turns.oldest(orgId)], this.#queue);
      this.#figures.sealed += sealed.reduce((sum, { rows }) => sum + rows, 0);
      await this.#setAside(db, unsealable);
      failed += unsealable.length;
      if (unsealable.length === 0) {
        await this.#aside.remove(db, orgId);
        this.#turns.takeBack(orgId);
        this.#hooks.onMended?.(orgId);
      }
    }
    this.#figures.setAside = this.#aside.orgIds;
  }
}

async function readOrganizations(db: Connection): Promise<readonly number[]> {
  const rows = await db.any(sql.prepared('organizations-to-seal', rowsOf<{ id: number }>())`
    select id from organizations`);
  return rows.map(({ id }) => id);
}

/** Up to {@link COUNTED}, which is plenty for an alert. */
async function countBacklogs(
  db: Connection,
  { name, queue }: Queue,
  backlogs: readonly { orgId: number; after: number }[],
): Promise<number> {
  if (backlogs.length === 0) {
    return 0;
  }
  const { count } = await db.one(sql.prepared(`count-unsealed-${name}`, rowsOf<{ count: number }>())`
    select count(*) from (
      select from unnest(
          ${sql.binary(integers(backlogs.map(({ orgId }) => orgId)))}::integer[],
          ${sql.binary(bigints(backlogs.map(({ after }) => after)))}::bigint[]) as long (org_id, after)
        cross join lateral (
          select from ${queue} where org_id = long.org_id and id > long.after offset 0
        ) row
      limit ${COUNTED}
    ) waiting`);
  return count;
}

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
  readonly #queue: Queue;
  #upTo = 0;
  /** Settled once all of these transactions have ended. */
  #next: { upTo: number; drawers: ReadonlySet<string> } | null = null;

  constructor(queue: Queue = MOVES) {
    this.#queue = queue;
  }

  get upTo(): number {
    return this.#upTo;
  }

  /** Asks the database again. */
  async advance(db: Connection): Promise<void> {
    const lastDrawn = this.#next === null ? await readLastDrawn(db, this.#queue) : this.#next.upTo;
    const now = await readDrawers(db, this.#queue);
    const drawers = this.#next === null ? now : now.intersection(this.#next.drawers);
    if (drawers.size === 0) {
      this.#upTo = lastDrawn;
      this.#next = null;
    } else {
      this.#next = { upTo: lastDrawn, drawers };
    }
  }
}

async function readLastDrawn(db: Connection, { name, sequence }: Queue): Promise<number> {
  const { id } = await db.one(sql.prepared(`last-drawn-${name}`, rowsOf<{ id: number }>())`
    select case when is_called then last_value else last_value - 1 end as id from ${sql.identifier([sequence])}`);
  return id;
}

/** Transactions that may have drawn ids. Their names are never reused. */
async function readDrawers(db: Connection, { name, sequence }: Queue): Promise<Set<string>> {
  const rows = await db.any(sql.prepared(`drawers-of-${name}`, rowsOf<{ name: string }>())`
    select virtualtransaction as name from pg_locks
    where locktype = 'relation' and mode = 'RowExclusiveLock' and relation = ${sequence}::regclass
      and database = (select oid from pg_database where datname = current_database())`);
  return new Set(rows.map(({ name }) => name));
}

/**
 * Organizations whose queue is passed over because an event in it cannot be sealed. Their events stay in the queue.
 * Stored in the database, for `doctor` and for the next sealer; not those of changes, whose rows cannot be refused.
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
