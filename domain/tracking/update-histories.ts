import type { Client } from '../../db/timescale/connections/client.ts';
import type { Transition } from './history.ts';
import { type Change, historyChanges, type Touched } from './history-changes.ts';
import { markHistories } from './history-marks.ts';
import { PairMap } from './pair-map.ts';
import type { PlacedScan } from './placed-scan.ts';
import { type Position, updatePositions } from './positions.ts';
import type { SmoothingSettings } from './smoothing/settings.ts';
import { storedTracking } from './stored-tracking.ts';
import { type AssetTransition, appendTransitions, deleteTransitions, putTransitions } from './transitions.ts';

/**
 * Brings transitions and positions up to the scans that were just written, as {@link historyChanges} says.
 *
 * @param touched of locked positions.
 */
export async function updateHistories(
  client: Client,
  touched: readonly Touched[],
  smoothing: ReadonlyMap<number, SmoothingSettings>,
): Promise<void> {
  await writeChanges(client, await historyChanges(storedTracking(client), touched, smoothing));
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

/**
 * The assets whose stored scans have changed.
 *
 * @param positions of all assets concerned, locked.
 * @param changed the scans that are new or made stronger.
 */
export function touchedAssets(positions: readonly Position[], changed: readonly PlacedScan[]): Touched[] {
  const touched = new PairMap<number, number, Touched>();
  for (const position of positions) {
    touched.add(position.orgId, position.assetId, { position, scans: [], isInOrder: true });
  }
  for (const scan of changed) {
    const asset = touched.get(scan.orgId, scan.assetId);
    if (asset !== undefined) {
      asset.scans.push(scan);
      asset.isInOrder &&= isAfterAll(asset.position, scan.observedAt);
    }
  }
  return touched.values().filter(({ scans }) => scans.length > 0);
}

/** Whether `observedAt` is later than every stored scan of the asset. */
export function isAfterAll({ lastSeen }: Position, observedAt: number): boolean {
  return lastSeen === null || observedAt > lastSeen;
}
