import type { Micros } from '../../../base/instant.ts';
import type { Client } from '../../../db/timescale/connections/client.ts';
import { lockPositions, type Position } from '../../../domain/tracking/positions.ts';
import { type RecordOptions, recordScans } from '../../../domain/tracking/record.ts';
import type { Outcome, Scan } from '../../../domain/tracking/scan.ts';
import { followMoves, type Move, type RecordedScan, type Whereabouts } from './moves.ts';
import type { Step } from './walk.ts';

/** A step of a walk as a canonical scan, with when it was. */
export interface TimedStep extends Step {
  canonical: Scan;
  observedAt: Micros;
  /** Whether it is neither too late nor without a place. */
  isPlaced: boolean;
}

/** A step and what became of it. */
export interface SettledStep extends TimedStep {
  /** Null for a location's tag, which is no scan of anything. */
  outcome: Outcome | null;
  move: Move;
}

/** Records what was scanned, and tells what of it moved an asset. @throws KnownAfterAll as recordScans does. */
export async function settle(
  client: Client,
  orgId: number,
  steps: readonly TimedStep[],
  options: RecordOptions,
): Promise<SettledStep[]> {
  const scanned = steps.filter(({ setsPlace }) => !setsPlace);
  const assetIds = scanned.flatMap(({ assetId, isPlaced }) =>
    assetId === null || !isPlaced ? [] : [assetId],
  );
  // Where assets were before tells what moves; locked here, so that nobody else moves them in between.
  const before = await lockAll(client, orgId, assetIds);
  const outcomes = await recordScans(
    client,
    scanned.map(({ canonical }) => canonical),
    options,
  );
  const outcomeOf = new Map(scanned.map((step, index) => [step, outcomes[index]]));
  const recorded = new Map(
    scanned.flatMap((step) => {
      const scan = recordedScan(step, outcomeOf.get(step));
      return scan === null ? [] : [[step, scan] as const];
    }),
  );
  const moves = (await movesOf(client, orgId, [...recorded.values()], before)).values();
  return steps.map((step) => ({
    ...step,
    outcome: outcomeOf.get(step) ?? null,
    move: recorded.has(step) ? (moves.next().value ?? null) : null,
  }));
}

function recordedScan({ placeId, scan }: TimedStep, outcome: Outcome | undefined): RecordedScan | null {
  if (outcome?.status !== 'recorded' || placeId === null) {
    return null;
  }
  const { assetId, observedAt } = outcome;
  return { assetId, locationId: placeId, observedAt, rssi: scan.rssi };
}

async function movesOf(
  client: Client,
  orgId: number,
  scans: readonly RecordedScan[],
  positions: readonly Position[],
): Promise<Move[]> {
  const before = new Map<number, Whereabouts>(
    positions.map(({ assetId, stay, lastSeen }) => [
      assetId,
      { locationId: stay?.locationId ?? null, seenAt: lastSeen, rssi: undefined },
    ]),
  );
  const tied = scans.filter(({ assetId, observedAt }) => before.get(assetId)?.seenAt === observedAt);
  const after = await lockAll(
    client,
    orgId,
    tied.map(({ assetId }) => assetId),
  );
  return followMoves(
    scans,
    before,
    new Map(after.map(({ assetId, stay }) => [assetId, stay?.locationId ?? null])),
  );
}

function lockAll(client: Client, orgId: number, assetIds: readonly number[]): Promise<Position[]> {
  return lockPositions(
    client,
    assetIds.map((assetId) => ({ orgId, assetId })),
  );
}
