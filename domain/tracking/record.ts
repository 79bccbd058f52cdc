import type { Micros } from '../../base/instant.ts';
import type { Client } from '../../db/timescale/connections/client.ts';
import { classify, type LookedUp, lookUp } from './classify.ts';
import { sortOut } from './duplicates.ts';
import { isSmoothingAsked } from './history-changes.ts';
import { findByIndexes } from './index-plans.ts';
import type { LocatedScan } from './located-scan.ts';
import type { TimeRules } from './observed-at.ts';
import { PairMap } from './pair-map.ts';
import { lockPositions, type Position } from './positions.ts';
import type { Outcome, Scan } from './scan.ts';
import { insertScanEvents, strengthenScanEvents } from './scan-events.ts';
import { readSmoothing } from './smoothing/read-settings.ts';
import type { Move } from './tell-moves.ts';
import { isNewest, touchedAssets } from './touched.ts';
import { recordUnknownTags } from './unknown-tags.ts';
import { updateHistories } from './update-histories.ts';

export interface RecordOptions {
  rules: TimeRules;
  /** This service's clock. */
  now: Micros;
  /** Look for every scan among the stored ones, not only for those that are not newer than their asset's last. */
  isCareful: boolean;
}

/**
 * Records scans from any devices of any organizations, inside the caller's transaction: resolves their tags, drops
 * what is known already, and writes raw scans, transitions, positions and unknown tags.
 *
 * Whatever the order, the batches, the repetitions and the number of processes, the same scans end in the same rows.
 * Locks, always taken in this order and each kind in order of its key: the locations (against deletion), the
 * positions of the assets (one recorder of an asset at a time), the smoothing settings (shared), the unknown tags.
 *
 * @param known what the caller has looked up already, in this transaction and after {@link findByIndexes}.
 * @returns the outcome of each scan, in their order; of what moved an asset with where that was before.
 * @throws AlreadyStored if the transaction must be run again with `isCareful`.
 */
export async function recordScans(
  client: Client,
  scans: readonly Scan[],
  { rules, now, isCareful }: RecordOptions,
  known?: LookedUp,
): Promise<Outcome[]> {
  const lookedUp = known ?? (await Promise.all([findByIndexes(client), lookUp(client, scans)]))[1];
  const classified = classify(scans, lookedUp, now, rules);
  const placed: LocatedScan[] = [];
  for (const each of classified) {
    if ('placed' in each) {
      placed.push(each.placed);
    }
  }
  const written = await writePlaced(client, placed, isCareful);
  const outcomes = classified.map((each) =>
    'placed' in each ? outcomeOf(each.placed, written) : each.outcome,
  );
  await recordUnknownTags(client, scans, outcomes);
  return outcomes;
}

/** A scan taken for new was stored already: its tag was attached to another asset since. */
export class AlreadyStored extends Error {}

/** What became of placed scans. */
interface Written {
  duplicates: ReadonlySet<LocatedScan>;
  moves: ReadonlyMap<LocatedScan, Move>;
}

async function writePlaced(
  client: Client,
  placed: readonly LocatedScan[],
  isCareful: boolean,
): Promise<Written> {
  if (placed.length === 0) {
    return { duplicates: new Set(), moves: new Map() };
  }
  const positions = await lockPositions(client, placed);
  const positionOf = new PairMap<number, number, Position>();
  for (const position of positions) {
    positionOf.add(position.orgId, position.assetId, position);
  }
  const mayBeKnown = (scan: LocatedScan) => {
    const position = positionOf.get(scan.orgId, scan.assetId);
    return isCareful || position === undefined || !isNewest(position, scan.observedAt);
  };
  const { fresh, stronger, duplicates } = await sortOut(client, placed, mayBeKnown);
  // A stronger copy may belong to an asset that had the tag before; out of order, so two recorders may collide here,
  // and the one that the database gives up is run again.
  const others = stronger.filter((scan) => !positionOf.has(scan.orgId, scan.assetId));
  positions.push(...(await lockPositions(client, others)));
  const touched = touchedAssets(positions, fresh, stronger);
  const inserting = insertScanEvents(client, fresh);
  const sentBehind = Promise.all([
    readSmoothing(
      client,
      touched.flatMap((asset) => (isSmoothingAsked(asset) ? [asset.position.orgId] : [])),
    ),
    strengthenScanEvents(client, stronger),
  ]);
  // Where a scan was stored already, what is sent behind it fails too, and says nothing of why.
  sentBehind.catch(() => {});
  if (!(await inserting)) {
    throw new AlreadyStored('a scan was stored already');
  }
  const [smoothing] = await sentBehind;
  const moves = await updateHistories(client, touched, smoothing);
  return { duplicates, moves: new Map(moves.map((move) => [move.scan, move])) };
}

function outcomeOf(placed: LocatedScan, { duplicates, moves }: Written): Outcome {
  const { assetId, observedAt, timeIsReceived } = placed;
  if (duplicates.has(placed)) {
    return { status: 'duplicate', assetId, observedAt };
  }
  const move = moves.get(placed);
  const movedFrom = move === undefined ? null : { from: move.from };
  return { status: 'recorded', assetId, observedAt, timeIsReceived, move: movedFrom };
}
