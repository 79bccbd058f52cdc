import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { append } from '../../../base/append.ts';
import { AppError } from '../../../base/errors.ts';
import type { Client } from '../connections/client.ts';
import { arrive, prepare } from './arrive.ts';
import { requireUninterrupted, untilInterrupted } from './break-off.ts';
import { type Cells, connect, type MoveHooks } from './cells.ts';
import { differing, type OwnedChecksum, ownedChecksums } from './checksums.ts';
import { catchUp, requirePublished, writtenUpTo } from './follow.ts';
import { hold, release } from './hold.ts';
import { setState } from './stored-moves.ts';

export interface MoveResult {
  tables: OwnedChecksum[];
  /** Milliseconds that the organization was held; null if that was an earlier run. */
  heldMs: number | null;
  /** Tables that do not agree, as of the switch. */
  differing: string[];
}

/** 4. Held, caught up, and open at the other cell. */
export async function switchOver(
  cells: Cells,
  urls: { from: string; to: string },
  hooks: MoveHooks,
): Promise<MoveResult> {
  const { from, orgId } = cells;
  const { signal } = hooks;
  const left = await connect(urls.from);
  const arrived = await connect(urls.to);
  try {
    hooks.onProgress('switching');
    const began = performance.now();
    const requireGoOn = () => {
      requireUninterrupted(signal);
      requireTime(began + LONGEST_HOLD);
    };
    try {
      await hold(from, orgId, signal);
      const xids = await catchUpToTheEnd(cells, requireGoOn);
      await requirePublished(cells);
      await prepare(cells);
      await rest(cells, left, xids, requireGoOn);
      await snapshot(arrived);
      await leave(from, orgId, hooks);
    } catch (error) {
      await release(from, orgId, 'following');
      throw error;
    }
    await arrive(cells, hooks);
    const heldMs = performance.now() - began;
    hooks.onProgress('comparing what arrived');
    return { heldMs, ...(await compare(cells, { left, arrived }, signal)) };
  } finally {
    await Promise.all([left.end(), arrived.end()]);
  }
}

/**
 * Leaves the old cell as it is once everything is applied and visible. What is on disk is applied, even while its
 * commit waits for a standby. Nothing learns of what is written there later, such as a disconnected reader or the last
 * use of a key.
 *
 * @param xids transactions applied since the organization was held.
 */
export async function rest(
  cells: Cells,
  left: pg.Client,
  xids: Iterable<number>,
  requireGoOn: () => void,
): Promise<void> {
  const applied = new Set(xids);
  for (;;) {
    const seen = await snapshot(left);
    const { changes, xids: last } = await catchUp(cells, await writtenUpTo(cells.from));
    for (const xid of last) {
      applied.add(xid);
    }
    if (changes === 0 && [...applied].every((xid) => sees(seen, xid))) {
      return;
    }
    requireGoOn();
    await left.query('rollback');
    await pause(AGAIN);
  }
}

async function compare(
  { orgId, tables }: Cells,
  { left, arrived }: { left: pg.Client; arrived: pg.Client },
  signal: AbortSignal,
): Promise<Pick<MoveResult, 'tables' | 'differing'>> {
  try {
    return await untilInterrupted(signal, [left, arrived], async () => {
      const there = await ownedChecksums(arrived, tables, orgId);
      return { tables: there, differing: differing(await ownedChecksums(left, tables, orgId), there) };
    });
  } catch (error) {
    if (signal.aborted) {
      throw new AppError(
        'conflict',
        `Organization ${orgId} has moved, but its tables were not compared after the switch; compare the org export of both cells before you erase it here`,
        { cause: error },
      );
    }
    throw error;
  }
}

async function leave(from: Client, orgId: number, hooks: MoveHooks): Promise<void> {
  await from.query('begin');
  await setState(from, orgId, 'moved');
  await hooks.logLeaving(from);
  await from.query('commit');
}

/** @returns which transactions it sees. */
async function snapshot(client: pg.Client): Promise<string> {
  await client.query('begin isolation level repeatable read, read only');
  const { rows } = await client.query<{ snapshot: string }>('select pg_current_snapshot()::text as snapshot');
  return rows[0]?.snapshot ?? '';
}

/** Milliseconds. */
const LONGEST_HOLD = 4_000;
const QUIET = 200;
const AGAIN = 20;

/**
 * Until no more changes come.
 *
 * @returns the applied transactions.
 */
async function catchUpToTheEnd(cells: Cells, requireGoOn: () => void): Promise<number[]> {
  const applied: number[] = [];
  for (let quietSince = performance.now(); performance.now() < quietSince + QUIET; ) {
    requireGoOn();
    const { changes, xids } = await catchUp(cells, await writtenUpTo(cells.from));
    append(applied, xids);
    if (changes > 0) {
      quietSince = performance.now();
    }
    await pause(AGAIN);
  }
  return applied;
}

function requireTime(until: number): void {
  if (performance.now() > until) {
    throw new AppError('conflict', 'Changes kept coming for seconds; run this again in a quieter hour');
  }
}

/**
 * Whether a snapshot, as `pg_current_snapshot()` writes it, sees a transaction that the log has as committed. It does not yet
 * while the commit waits for a standby, or its process for a processor.
 *
 * @param xid as the log has it: the lower 32 bits.
 */
export function sees(snapshot: string, xid: number): boolean {
  const [oldest = '', next = '', running = ''] = snapshot.split(':');
  const newest = BigInt(next);
  const whole = newest + BigInt.asIntN(32, BigInt(xid) - newest);
  return whole < BigInt(oldest) || (whole < newest && !running.split(',').includes(String(whole)));
}
