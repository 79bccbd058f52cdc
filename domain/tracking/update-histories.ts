import type { Client } from '../../db/timescale/connections/client.ts';
import { isChange, type UnsealedMove } from './feed/unsealed-move.ts';
import { writeUnsealed } from './feed/write-unsealed.ts';
import type { AssetRef } from './history/asset-ref.ts';
import { historyChanges } from './history-changes.ts';
import { markHistories } from './history-marks.ts';
import type { Move } from './moves.ts';
import { updatePositions } from './positions.ts';
import type { Change } from './revision.ts';
import type { SmoothingSettings } from './smoothing/settings.ts';
import type { StoredTracking } from './stored-tracking.ts';
import type { Touched } from './touched.ts';
import { appendTransitions, deleteTransitions, putTransitions } from './write-transitions.ts';

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
  const unsealed = await writeChanges(
    client,
    isCareful ? changes.map((change) => ({ ...change, isNewest: false })) : changes,
  );
  return { moves: changes.flatMap(({ moves }) => moves), unsealed };
}

/**
 * Writes transitions and positions, and tells the feed of what has changed.
 *
 * @returns how many changes were told.
 */
export async function writeChanges(client: Client, changes: readonly Change[]): Promise<number> {
  const newest = rowsOf(changes, ({ isNewest, put }) => (isNewest ? put : NONE));
  const others = rowsOf(changes, ({ isNewest, put }) => (isNewest ? NONE : put));
  const gone = rowsOf(changes, (change) => change.gone);
  const recorded = changes.map(unsealedMoveOf);
  const unsealed = recorded.filter((move) => move !== null);
  const replacing = [deleteTransitions(client, gone), putTransitions(client, others)];
  const appending = appendTransitions(client, newest);
  const besides = Promise.all([
    ...replacing,
    markHistories(client, [...newest, ...others]),
    updatePositions(
      client,
      changes.map(({ position }) => position),
      recorded.map((move) => move?.recordedAt ?? null),
    ),
    writeUnsealed(client, unsealed),
  ]);
  // If a transition was stored already, the statements pipelined behind fail too, without naming the cause.
  besides.catch(() => {});
  await appending;
  await besides;
  return unsealed.length;
}

/** The event that a change makes in the feed; null if none. */
export function unsealedMoveOf({ position, before, rows }: Change): UnsealedMove | null {
  const { orgId, assetId, stay, lastSeen, isInFeed, lockedAt: recordedAt } = position;
  return isInFeed && isChange({ before, stay, rows })
    ? { orgId, assetId, recordedAt, before, stay, lastSeen, rows }
    : null;
}

const NONE: readonly never[] = [];

function rowsOf<Row extends object>(
  changes: readonly Change[],
  pick: (change: Change) => readonly Row[],
): (AssetRef & Row)[] {
  const rows: (AssetRef & Row)[] = [];
  for (const change of changes) {
    const { orgId, assetId } = change.position;
    for (const transition of pick(change)) {
      rows.push({ orgId, assetId, ...transition });
    }
  }
  return rows;
}
