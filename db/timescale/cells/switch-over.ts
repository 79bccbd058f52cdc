import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { AppError } from '../../../base/errors.ts';
import type { Client } from '../connections/client.ts';
import { arrive, prepare } from './arrive.ts';
import { type Cells, connect, type MoveHooks } from './cells.ts';
import { differing, type OwnedChecksum, ownedChecksums } from './checksums.ts';
import { catchUp, follow, requirePublished, writtenUpTo } from './follow.ts';
import { hold, release } from './hold.ts';
import { findMove, setState } from './stored-moves.ts';

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
  const { from, orgId, tables } = cells;
  await follow(cells, hooks);
  const left = await connect(urls.from);
  const arrived = await connect(urls.to);
  try {
    hooks.onProgress('switching');
    const began = performance.now();
    try {
      await hold(from, orgId);
      await catchUpToTheEnd(cells, began + LONGEST_HOLD);
      await requirePublished(cells);
      await prepare(cells);
      await rest(cells, left, began + LONGEST_HOLD);
      await snapshot(arrived, orgId);
      await leave(from, orgId, hooks);
    } catch (error) {
      await release(from, orgId, 'following');
      throw error;
    }
    await arrive(cells, hooks);
    const heldMs = performance.now() - began;
    hooks.onProgress('comparing what arrived');
    const there = await ownedChecksums(arrived, tables, orgId);
    return { tables: there, heldMs, differing: differing(await ownedChecksums(left, tables, orgId), there) };
  } finally {
    await Promise.all([left.end(), arrived.end()]);
  }
}

/**
 * Keeps the old cell as it is when all of it has been applied. What is written there later is known to nobody: that a reader was
 * disconnected, when a key was last used.
 */
async function rest(cells: Cells, left: pg.Client, until: number): Promise<void> {
  await snapshot(left, cells.orgId);
  while ((await catchUp(cells, await writtenUpTo(cells.from))) > 0) {
    requireTime(until);
    await left.query('rollback');
    await snapshot(left, cells.orgId);
  }
}

/** The switch. */
async function leave(from: Client, orgId: number, hooks: MoveHooks): Promise<void> {
  await from.query('begin');
  await setState(from, orgId, 'moved');
  await hooks.logLeaving(from);
  await from.query('commit');
}

async function snapshot(client: pg.Client, orgId: number): Promise<void> {
  await client.query('begin isolation level repeatable read, read only');
  // Takes it.
  await findMove(client, orgId);
}

/** Milliseconds. */
const LONGEST_HOLD = 4_000;
const QUIET = 200;

/** Until nothing comes any more. */
async function catchUpToTheEnd(cells: Cells, until: number): Promise<void> {
  for (let quietSince = performance.now(); performance.now() < quietSince + QUIET; ) {
    requireTime(until);
    if ((await catchUp(cells, await writtenUpTo(cells.from))) > 0) {
      quietSince = performance.now();
    }
    await pause(20);
  }
}

function requireTime(until: number): void {
  if (performance.now() > until) {
    throw new AppError('conflict', 'Changes kept coming for seconds; run this again in a quieter hour');
  }
}
