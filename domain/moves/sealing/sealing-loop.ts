import { setTimeout as pause } from 'node:timers/promises';
import { Alarm } from '../../../base/alarm.ts';
import type { Client } from '../../../db/timescale/connections/client.ts';
import { bigints, integers } from '../../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { sealOrders, type Unsealable } from './seal-apart.ts';
import { SealingTurns } from './sealing-turns.ts';
import { type SealingFault, SetAside } from './set-aside.ts';
import { MOVES_WRITTEN, organizationsOf } from './written-announcement.ts';

/** Milliseconds between polls, since a notification may be lost. */
const LOOK_EVERY = 1_000;

/**
 * Milliseconds of rest after a batch, besides as long as it took: so the sealer uses at most half a connection, and
 * under load batches become larger, not more frequent.
 */
const REST = 25;
const LONGEST_REST = 200;

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

export interface SealingHooks {
  /** An organization is passed over from now on. */
  onSetAside?: ((fault: SealingFault) => void) | undefined;
  /** Its events are sealed again. */
  onMended?: ((orgId: number) => void) | undefined;
}

/** Backlogs are counted up to this many rows. */
export const COUNTED = 100_000;

/**
 * Seals on the connection that holds the lock, until the signal is aborted.
 *
 * @param isOnce returns once everything committed before the call is sealed.
 * @throws the connection's error if it is lost.
 */
export async function sealOn(
  client: Client,
  figures: SealingFigures,
  {
    signal,
    isOnce = false,
    ...hooks
  }: SealingHooks & { signal?: AbortSignal | undefined; isOnce?: boolean } = {},
): Promise<void> {
  const sealer: Sealer = {
    ...{ client, figures, hooks, rows: ROWS.first },
    ...{ turns: new SealingTurns(), settled: new SettledIds(), aside: new SetAside() },
  };
  const { turns, settled, aside } = sealer;
  const alarm = new Alarm();
  const hear = ({ payload }: { payload?: string | undefined }) => {
    const named = organizationsOf(payload);
    if (named === null) {
      nextLook = 0;
    } else {
      turns.call(named);
    }
    alarm.ring();
  };
  const ring = () => alarm.ring();
  let nextLook = 0;
  const isStopped = () => signal?.aborted === true;
  if (!isOnce) {
    client.on('notification', hear);
  }
  signal?.addEventListener('abort', ring);
  try {
    await client.exec(sql.type(NO_ROWS)`listen ${sql.identifier([MOVES_WRITTEN])}`);
    await aside.load(client);
    aside.orgIds.forEach((orgId) => {
      turns.setAside(orgId);
    });
    while (!isStopped()) {
      const began = performance.now();
      if (began >= nextLook) {
        nextLook = began + LOOK_EVERY;
        await settled.advance(client);
        await tryAgain(sealer);
        turns.visit(await readOrganizations(client));
        figures.unsealed = await countBacklogs(client, turns.backlogs());
      }
      while (!turns.isDone && performance.now() < nextLook && !isStopped()) {
        await sealNext(sealer);
      }
      if (turns.isDone && isOnce) {
        return;
      }
      if (turns.isDone) {
        const now = performance.now();
        await pause(REST + Math.min(now - began, LONGEST_REST), undefined, { signal }).catch(() => {});
        await alarm.sleep(nextLook - performance.now());
      }
    }
  } finally {
    client.removeListener('notification', hear);
    signal?.removeEventListener('abort', ring);
  }
}

interface Sealer {
  client: Client;
  turns: SealingTurns;
  settled: SettledIds;
  aside: SetAside;
  figures: SealingFigures;
  hooks: SealingHooks;
  /** That the next batch may have. */
  rows: number;
}

async function sealNext(sealer: Sealer): Promise<void> {
  const { client, turns, settled, figures, rows } = sealer;
  const orders = turns.next(rows);
  const safe = settled.upTo;
  const began = performance.now();
  const { sealed, unsealable } = await sealOrders(client, orders);
  const took = performance.now() - began;
  await setAside(sealer, unsealable);
  turns.done(orders, sealed, safe);
  figures.sealed += sealed.reduce((sum, each) => sum + each.rows, 0);
  figures.lag = sealed.reduce((most, { age }) => Math.max(most, age), 0);
  if (took > TARGET.most) {
    sealer.rows = Math.max(ROWS.least, rows / 2);
  } else if (took < TARGET.least && turns.backlogs().length > 0) {
    sealer.rows = Math.min(ROWS.most, rows * 2);
  }
}

async function setAside(
  { client, turns, aside, figures, hooks }: Sealer,
  unsealable: readonly Unsealable[],
): Promise<void> {
  for (const each of unsealable) {
    turns.setAside(each.orgId);
    const fault = await aside.add(client, each, performance.now());
    if (fault !== null) {
      hooks.onSetAside?.(fault);
    }
  }
  figures.setAside = aside.orgIds;
}

/** Each organization that was set aside by itself: a batch with others would have to be sealed twice. */
async function tryAgain(sealer: Sealer): Promise<void> {
  const { client, turns, aside, figures, hooks } = sealer;
  let failed = 0;
  for (const orgId of aside.due(performance.now())) {
    if (failed === FAILURES_AT_ONCE) {
      break;
    }
    const { sealed, unsealable } = await sealOrders(client, [turns.oldest(orgId)]);
    figures.sealed += sealed.reduce((sum, { rows }) => sum + rows, 0);
    await setAside(sealer, unsealable);
    failed += unsealable.length;
    if (unsealable.length === 0) {
      await aside.remove(client, orgId);
      turns.takeBack(orgId);
      hooks.onMended?.(orgId);
    }
  }
  figures.setAside = aside.orgIds;
}

async function readOrganizations(db: Connection): Promise<readonly number[]> {
  const rows = await db.any(sql.prepared('organizations-to-seal', rowsOf<{ id: number }>())`
    select id from organizations`);
  return rows.map(({ id }) => id);
}

/** Up to {@link COUNTED}, which is plenty for an alert. */
async function countBacklogs(
  db: Connection,
  backlogs: readonly { orgId: number; after: number }[],
): Promise<number> {
  if (backlogs.length === 0) {
    return 0;
  }
  const { count } = await db.one(sql.prepared('count-unsealed', rowsOf<{ count: number }>())`
    select count(*) from (
      select from unnest(
          ${sql.binary(integers(backlogs.map(({ orgId }) => orgId)))}::integer[],
          ${sql.binary(bigints(backlogs.map(({ after }) => after)))}::bigint[]) as long (org_id, after)
        cross join lateral (
          select from unsealed_moves where org_id = long.org_id and id > long.after offset 0
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
