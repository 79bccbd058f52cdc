import { eachInTurns } from '../../base/each-in-turns.ts';
import type { Client } from '../../db/timescale/connections/client.ts';
import { isChange, type UnsealedMove } from './feed/unsealed-move.ts';
import { writeUnsealed } from './feed/write-unsealed.ts';
import type { AssetRef } from './history/asset-ref.ts';
import type { Transition } from './history/history.ts';
import { historyChanges } from './history-changes.ts';
import { keepMarks, markHistories, sparingTriggers } from './history-marks.ts';
import type { Move } from './moves.ts';
import { updatePositions } from './positions.ts';
import type { Change } from './revision.ts';
import type { SmoothingSettings } from './smoothing/settings.ts';
import type { StoredTracking } from './stored-tracking.ts';
import type { Touched } from './touched.ts';
import {
  type AssetTransition,
  addTransitions,
  deleteTransitions,
  putTransitions,
} from './write-transitions.ts';

export interface UpdateOptions {
  stored: StoredTracking;
  smoothing: ReadonlyMap<number, SmoothingSettings>;
  /** Expects rows at instants at which none should be. Without it they are a unique violation. */
  isCareful: boolean;
}

export interface Updated {
  /** The new scans that moved their assets. */
  moves: Move[];
  /** Changes of histories that were told, and wait to be sealed. */
  unsealed: number;
}

/**
 * Brings transitions and positions up to the scans that were just written (see {@link historyChanges}).
 *
 * @param touched assets whose positions are locked.
 */
export async function updateHistories(
  client: Client,
  touched: readonly Touched[],
  { stored, smoothing, isCareful }: UpdateOptions,
): Promise<Updated> {
  const changes = await historyChanges(stored, touched, smoothing);
  const unsealed = await writeChanges(client, changes, { isExact: !isCareful });
  return { moves: changes.flatMap(({ moves }) => moves), unsealed };
}

/**
 * Writes transitions and positions, and tells the feed of what has changed.
 *
 * @param isExact expects the rows stored that the changes say, which costs less. If others are, it is a unique violation
 *   or {@link StoredOtherwise}.
 * @returns how many changes were told.
 */
export async function writeChanges(
  client: Client,
  changes: readonly Change[],
  { isExact = false } = {},
): Promise<number> {
  const recorded = await eachInTurns(changes, unsealedMoveOf);
  const unsealed = recorded.filter((move) => move !== null);
  const rows = rowsOf(changes);
  const writing = isExact ? writeExactly(client, rows) : replace(client, rows);
  const besides = Promise.all([
    markHistories(client, rows.put),
    updatePositions(
      client,
      changes.map(({ position }) => position),
      recorded.map((move) => move?.recordedAt ?? null),
    ),
    writeUnsealed(client, unsealed),
  ]);
  // If a transition was stored already, the statements pipelined behind fail too, without naming the cause.
  besides.catch(() => {});
  await writing;
  await besides;
  return unsealed.length;
}

/** Transitions are not stored that were to be removed. */
export class StoredOtherwise extends Error {}

interface Rows {
  /** All that are to be written: the newest, those between, and the changed. */
  put: AssetTransition[];
  /** Later than all stored ones. */
  newest: AssetTransition[];
  /** Added elsewhere. */
  between: AssetTransition[];
  /** Stored already. */
  changed: AssetTransition[];
  gone: (AssetRef & Transition)[];
}

function rowsOf(changes: readonly Change[]): Rows {
  const rows: Rows = { put: [], newest: [], between: [], changed: [], gone: [] };
  for (const change of changes) {
    if (change.put.length + change.gone.length > 0) {
      addRows(rows, change);
    }
  }
  return rows;
}

function addRows(rows: Rows, { position, put, gone, rows: told, isNewest }: Change): void {
  const { orgId, assetId } = position;
  let added = 0;
  for (const transition of put) {
    const { observedAt, locationId, durationSeconds, decidedBy } = transition;
    const row = { orgId, assetId, observedAt, locationId, durationSeconds, decidedBy };
    rows.put.push(row);
    if (isNewest) {
      rows.newest.push(row);
    } else if (transition === told.added[added]) {
      // What is added comes in the same order.
      rows.between.push(row);
      added += 1;
    } else {
      rows.changed.push(row);
    }
  }
  for (const { observedAt, locationId, durationSeconds } of gone) {
    rows.gone.push({ orgId, assetId, observedAt, locationId, durationSeconds });
  }
}

async function writeExactly(client: Client, { put, newest, between, changed, gone }: Rows): Promise<void> {
  if (put.length + gone.length === 0) {
    return;
  }
  const writing = sparingTriggers(client, async () => {
    const [removed] = await Promise.all([
      deleteTransitions(client, gone),
      putTransitions(client, changed),
      addTransitions(client, between.length === 0 ? newest : [...newest, ...between]),
    ]);
    return removed;
  });
  const keeping = keepMarks(client, between, gone);
  keeping.catch(() => {});
  const removed = await writing;
  await keeping;
  if (removed !== gone.length) {
    throw new StoredOtherwise(`${removed} of ${gone.length} transitions to be removed are stored`);
  }
}

async function replace(client: Client, { put, gone }: Rows): Promise<void> {
  await Promise.all([deleteTransitions(client, gone), putTransitions(client, put)]);
}

/** The event that a change makes in the feed; null if none. */
export function unsealedMoveOf({ position, before, rows }: Change): UnsealedMove | null {
  const { orgId, assetId, stay, lastSeen, lockedAt: recordedAt } = position;
  return isChange({ before, stay, rows })
    ? { orgId, assetId, recordedAt, before, stay, lastSeen, rows }
    : null;
}
