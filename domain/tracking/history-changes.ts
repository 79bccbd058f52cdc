import { eachInTurns } from '../../base/each-in-turns.ts';
import { NOTHING_CHANGES } from './around-late.ts';
import { type ChangedRows, changedRows, onlyAdded } from './feed/unsealed-move.ts';
import { assetKey } from './history/asset-ref.ts';
import { isSameScan } from './history/deciding-scan.ts';
import { type DecidedTransition, history, type Stay, type Transition } from './history/history.ts';
import { isSamePosition } from './history/metric-position.ts';
import { type Neighbourhood, revise } from './history/revise.ts';
import { type LocatedScan, toSighting } from './located-scan.ts';
import type { RecentHearings } from './location/recent-hearings.ts';
import type { Site } from './location/site.ts';
import { type ChangedAsset, statedNeighbourhoods } from './location/stated-neighbourhoods.ts';
import { lastSighting, lastSightingAmong, movesInTurn, movesWhereStated, type WithMoves } from './moves.ts';
import { latest, type Position, type Touched } from './positions.ts';
import type { StoredTracking } from './stored-tracking.ts';

/**
 * Brings histories and positions up to the scans that were just written, for each asset in the cheapest way that is
 * exact:
 *
 * 1. In organizations where locations are decided by strength or position, what is within 30 s of the scans is decided
 *    again (`location/stated-neighbourhoods.ts`).
 * 2. Elsewhere every scan states where its asset is. Late ones are worked into what is stored around them.
 * 3. All others are appended. That takes the position only, constant work for each scan.
 *
 * @param sites by organization.
 * @param recent what this process remembers of assets.
 */
export async function historyChanges(
  stored: StoredTracking,
  touched: readonly Touched[],
  sites: ReadonlyMap<number, Site>,
  recent?: RecentHearings,
): Promise<(Change & WithMoves)[]> {
  const toAppend: Touched[] = [];
  const toMerge: Touched[] = [];
  const toDecide: TouchedAtSite[] = [];
  for (const asset of touched) {
    const site = sites.get(asset.position.orgId);
    if (site !== undefined) {
      toDecide.push({ asset, site });
    } else {
      (asset.isInOrder ? toAppend : toMerge).push(asset);
    }
  }
  return [
    ...toAppend.map(appended),
    ...(toMerge.length === 0 ? [] : await mergeScans(stored, toMerge)),
    ...(toDecide.length === 0 ? [] : await decideAgain(stored, toDecide, recent)),
  ];
}

function appended(asset: Touched): Change & WithMoves {
  const { position, scans } = asset;
  if (scans.every(({ locationId }) => locationId === position.stay?.locationId)) {
    return unchanged(asset);
  }
  const sightings = scans.map(toSighting);
  const put = history(sightings, position.stay);
  return {
    position: positionAfter(position, put.at(-1), scans),
    before: position.stay,
    put,
    gone: [],
    rows: onlyAdded(put),
    isNewest: true,
    moves: movesInTurn(asset, sightings, lastSighting(position)),
  };
}

/** Works scans into the neighbourhood of stored scans and transitions around them. */
async function mergeScans(
  stored: StoredTracking,
  touched: readonly Touched[],
): Promise<(Change & WithMoves)[]> {
  const around = await eachInTurns(touched, (asset) => stored.around(asset));
  const instants = touched.flatMap(({ scans }, index) =>
    around[index] === null ? [...new Map(scans.map((scan) => [scan.observedAt, scan])).values()] : [],
  );
  const loaded = instants.length === 0 ? null : await stored.neighbourhoods(instants);
  return eachInTurns(touched.entries(), ([index, asset]) => {
    const found = around[index] ?? loaded?.get(assetKey(asset.position)) ?? NOTHING_CHANGES;
    if (found === NOTHING_CHANGES) {
      return unchanged(asset);
    }
    const { upToNow, ...change } = revision(asset.position, found, asset.scans);
    const moves =
      upToNow === null
        ? []
        : movesInTurn(asset, asset.scans.map(toSighting), lastSightingAmong(found.spans, asset));
    return { ...change, moves };
  });
}

function changedAsset(
  { asset: { position, scans, fresh }, site }: TouchedAtSite,
  recent: RecentHearings | undefined,
): ChangedAsset {
  const { orgId, assetId, positionAt, stay, writer, transaction } = position;
  const asset = {
    ...{ orgId, assetId, positionAt, site },
    changed: scans.map(({ observedAt }) => observedAt),
    lastSeen: Math.max(position.lastSeen ?? 0, latest(scans)),
  };
  // Remembered scans cannot become stronger.
  return recent === undefined || fresh < scans.length
    ? asset
    : { ...asset, memory: { recent, added: scans.map(toSighting), stay, writer, transaction } };
}

interface TouchedAtSite {
  asset: Touched;
  site: Site;
}

async function decideAgain(
  stored: StoredTracking,
  touched: readonly TouchedAtSite[],
  recent: RecentHearings | undefined,
): Promise<(Change & WithMoves)[]> {
  const neighbourhoods = await statedNeighbourhoods(
    stored,
    touched.map((asset) => changedAsset(asset, recent)),
  );
  return eachInTurns(touched, ({ asset }) => {
    const found = neighbourhoods.get(assetKey(asset.position)) ?? NOTHING_CHANGES;
    const { upToNow, ...change } = revision(asset.position, found, asset.scans);
    return { ...change, moves: upToNow === null ? [] : movesWhereStated(asset, upToNow) };
  });
}

/** Rows to write for one asset. */
export interface Change {
  position: Position;
  before: Stay | null;
  /** New rows, rows that have changed, and rows that another scan has decided. */
  put: readonly DecidedTransition[];
  gone: readonly Transition[];
  /** What of this is told. */
  rows: ChangedRows;
  /** True if `put` is later than every scan that was stored before. */
  isNewest: boolean;
}

interface Revision extends Change {
  /** The transitions as revised, up to the last of the asset; null if the change does not reach its last stay. */
  upToNow: readonly DecidedTransition[] | null;
}

/** @param scans the new and changed ones; none where history is recomputed. */
export function revision(
  position: Position,
  { spans, stored, newest }: Neighbourhood,
  scans: readonly LocatedScan[],
): Revision {
  const revised = revise(stored, spans);
  const rows = changedRows(stored, revised);
  // The last stay is in the neighbourhood, or no change reaches it.
  const { stay } = position;
  const isLastStaySeen = stay === null || stored.some(({ observedAt }) => observedAt === stay.since);
  return {
    position: {
      ...positionAfter(position, isLastStaySeen ? (revised.at(-1) ?? null) : undefined, scans),
      newest,
    },
    before: stay,
    put: revisedRows(stored, revised),
    gone: rows.removed,
    rows,
    isNewest: false,
    upToNow: isLastStaySeen ? revised : null,
  };
}

/**
 * Both ascending.
 *
 * @returns the rows of `revised` that differ from the stored ones.
 */
function revisedRows(
  stored: readonly DecidedTransition[],
  revised: readonly DecidedTransition[],
): readonly DecidedTransition[] {
  let next = 0;
  return revised.filter((transition) => {
    while ((stored[next]?.observedAt ?? Number.POSITIVE_INFINITY) < transition.observedAt) {
      next += 1;
    }
    const was = stored[next];
    return was?.observedAt !== transition.observedAt || !isSame(was, transition);
  });
}

/** The change of an asset whose new scans are all within its stays, as most are. */
function unchanged({ position, scans }: Pick<Touched, 'position' | 'scans'>): Change & WithMoves {
  return { ...STILL, position: positionAfter(position, undefined, scans), before: position.stay };
}

const STILL = { put: [], gone: [], rows: onlyAdded([]), isNewest: true, moves: [] };

/** @param last the last transition; null if there is none any more, undefined if it has not changed. */
function positionAfter(
  position: Position,
  last: Transition | null | undefined,
  scans: readonly LocatedScan[],
): Position {
  return {
    ...position,
    stay: last === undefined ? position.stay : stayOf(last),
    lastSeen: Math.max(position.lastSeen ?? 0, latest(scans)),
  };
}

function stayOf(last: Transition | null): Stay | null {
  return last === null ? null : { locationId: last.locationId, since: last.observedAt };
}

function isSame(a: DecidedTransition, b: DecidedTransition): boolean {
  return (
    a.locationId === b.locationId &&
    a.durationSeconds === b.durationSeconds &&
    isSameScan(a.decidedBy, b.decidedBy) &&
    isSamePosition(a.position ?? null, b.position ?? null)
  );
}
