import type { Client } from '../../../db/timescale/connections/client.ts';
import { assetKey } from '../history/asset-ref.ts';
import { markRetracted, type ToMark } from '../mark-retracted.ts';
import { lockPositions } from '../positions.ts';
import { reviseAlerts } from '../revise-alerts.ts';
import { readSmoothing } from '../smoothing/read-settings.ts';
import { storedTracking } from '../stored-tracking.ts';
import { writeChanges } from '../update-histories.ts';
import { withoutRetracted } from './without-retracted.ts';

/**
 * Takes stored scans of handhelds back that none has taken back before, inside the caller's transaction: marks them, and
 * brings transitions and positions to what they would be without them. Locks the positions of their assets, and the
 * smoothing settings (shared), as a recorder does.
 *
 * @returns changes of histories that the sealer has to be woken for, once this is committed.
 */
export async function takeBack(
  client: Client,
  scans: readonly (ToMark & { assetId: number })[],
): Promise<number> {
  if (scans.length === 0) {
    return 0;
  }
  const positions = await lockPositions(client, scans);
  const [, , smoothing] = await Promise.all([
    markRetracted(client, scans),
    reviseAlerts(
      client,
      scans.map(({ orgId, assetId, observedAt }) => ({ orgId, assetId, since: observedAt })),
    ),
    readSmoothing(
      client,
      scans.map(({ orgId }) => orgId),
    ),
  ]);
  const instantsOf = Map.groupBy(scans, assetKey);
  const assets = positions.map((position) => ({
    position,
    instants: (instantsOf.get(assetKey(position)) ?? []).map(({ observedAt }) => observedAt),
  }));
  return writeChanges(client, await withoutRetracted(storedTracking(client), assets, smoothing));
}
