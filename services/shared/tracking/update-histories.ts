import type { ClientBase } from 'pg';
import type { Transition } from './history.ts';
import { type Change, historyChanges, type Touched } from './history-changes.ts';
import { markHistories } from './history-marks.ts';
import type { PlacedScan } from './placed-scan.ts';
import { assetName, type Position, updatePositions } from './positions.ts';
import type { SmoothingSettings } from './smoothing/settings.ts';
import { storedTracking } from './stored-tracking.ts';
import { type AssetTransition, appendTransitions, deleteTransitions, putTransitions } from './transitions.ts';

/**
 * Brings transitions and positions up to the scans that were just written, as {@link historyChanges} says.
 *
 * @param touched of locked positions.
 */
export async function updateHistories(
  client: ClientBase,
  touched: readonly Touched[],
  smoothing: ReadonlyMap<number, SmoothingSettings>,
): Promise<void> {
  await writeChanges(client, await historyChanges(storedTracking(client), touched, smoothing));
}

export async function writeChanges(client: ClientBase, changes: readonly Change[]): Promise<void> {
  const ofAsset = ({ orgId, assetId }: Position) => ({ orgId, assetId });
  const rows = (pick: (change: Change) => Transition[]): AssetTransition[] =>
    changes.flatMap((change) => pick(change).map((row) => ({ ...ofAsset(change.position), ...row })));
  const newest = rows((change) => (change.isNewest ? change.put : []));
  const others = rows((change) => (change.isNewest ? [] : change.put));
  await Promise.all([
    deleteTransitions(
      client,
      rows(({ gone }) => gone),
    ),
    putTransitions(client, others),
    appendTransitions(client, newest),
    markHistories(client, [...newest, ...others]),
    updatePositions(
      client,
      changes.map(({ position }) => position),
    ),
  ]);
}

/**
 * The assets whose stored scans have changed.
 *
 * @param positions of all assets concerned, locked.
 * @param changed the scans that are new or made stronger.
 */
export function touchedAssets(positions: readonly Position[], changed: readonly PlacedScan[]): Touched[] {
  const scansOf = Map.groupBy(changed, assetName);
  return positions.flatMap((position) => {
    const scans = scansOf.get(assetName(position)) ?? [];
    const isInOrder = scans.every(({ observedAt }) => isAfterAll(position, observedAt));
    return scans.length === 0 ? [] : [{ position, scans, isInOrder }];
  });
}

/** Whether `observedAt` is later than every stored scan of the asset. */
export function isAfterAll({ lastSeen }: Position, observedAt: number): boolean {
  return lastSeen === null || observedAt > lastSeen;
}
