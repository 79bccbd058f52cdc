import type { Client } from '../../db/timescale/connections/client.ts';
import type { Transition } from './history/history.ts';
import { historyChanges } from './history-changes.ts';
import { markHistories } from './history-marks.ts';
import { updatePositions } from './positions.ts';
import type { Change } from './revision.ts';
import type { SmoothingSettings } from './smoothing/settings.ts';
import { storedTracking } from './stored-tracking.ts';
import type { Move } from './tell-moves.ts';
import type { Touched } from './touched.ts';
import {
  type AssetTransition,
  appendTransitions,
  deleteTransitions,
  putTransitions,
} from './write-transitions.ts';

/**
 * Brings transitions and positions up to the scans that were just written, as {@link historyChanges} says.
 *
 * @param touched of locked positions.
 * @returns which of the new scans moved their assets.
 */
export async function updateHistories(
  client: Client,
  touched: readonly Touched[],
  smoothing: ReadonlyMap<number, SmoothingSettings>,
): Promise<Move[]> {
  const changes = await historyChanges(storedTracking(client), touched, smoothing);
  await writeChanges(client, changes);
  return changes.flatMap(({ moves }) => moves);
}

export async function writeChanges(client: Client, changes: readonly Change[]): Promise<void> {
  const newest = rowsOf(changes, ({ isNewest, put }) => (isNewest ? put : NONE));
  const others = rowsOf(changes, ({ isNewest, put }) => (isNewest ? NONE : put));
  const gone = rowsOf(changes, (change) => change.gone);
  await Promise.all([
    deleteTransitions(client, gone),
    putTransitions(client, others),
    appendTransitions(client, newest),
    markHistories(client, [...newest, ...others]),
    updatePositions(
      client,
      changes.map(({ position }) => position),
    ),
  ]);
}

const NONE: readonly Transition[] = [];

function rowsOf(
  changes: readonly Change[],
  pick: (change: Change) => readonly Transition[],
): AssetTransition[] {
  const rows: AssetTransition[] = [];
  for (const change of changes) {
    const { orgId, assetId } = change.position;
    for (const transition of pick(change)) {
      rows.push({ orgId, assetId, ...transition });
    }
  }
  return rows;
}
