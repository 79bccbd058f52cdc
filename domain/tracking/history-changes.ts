import { append } from '../../base/append.ts';
import { eachInTurns } from '../../base/each-in-turns.ts';
import { leastOf } from '../../base/extremes.ts';
import type { Micros } from '../../base/instant.ts';
import { NOTHING_CHANGES } from './around-late.ts';
import { onlyAdded } from './feed/changed-rows.ts';
import { assetKey } from './history/asset-ref.ts';
import { history, type Transition } from './history/history.ts';
import type { Neighbourhood } from './history/revise.ts';
import { type LocatedScan, toSighting } from './located-scan.ts';
import {
  lastSighting,
  lastSightingAmong,
  type Move,
  movesInTurn,
  movesWhereSmoothed,
  type WithMoves,
} from './moves.ts';
import { type Change, positionAfter, revision, unchanged } from './revision.ts';
import { afterSilence } from './smoothing/after-silence.ts';
import { MAX_WINDOW, type SmoothingSettings } from './smoothing/settings.ts';
import { type SmoothedAsset, smoothedNeighbourhoods } from './smoothing/smoothed-neighbourhoods.ts';
import type { StoredTracking } from './stored-tracking.ts';
import { earliest, latest, type Touched } from './touched.ts';

/**
 * Brings histories and positions up to the scans that were just written, for each asset in the cheapest way that is
 * exact:
 *
 * 1. Late scans, and with smoothing on scans in order at another location than the asset's, are worked into what is
 *    stored around them (`merge-scans.ts`).
 * 2. With smoothing on, scans in order at the asset's location, less than a window after its move there, can date that
 *    move earlier, as drawn below. They are worked in as well if one look-up finds that the asset was seen there right
 *    before the move; or if strength alone proves the move, as time may prove it by now, which goes first.
 * 3. All other scans are appended. That takes the position only, constant work for each scan.
 *
 * Case 2, with a window of 20 s, a minimum time of 5 s and a margin of 6 dB:
 *
 *     second        0   3   6   8   11
 *     read at       A   A   B   B!  B       B! is 6 dB stronger and counts at once
 *     stored at 8   A-----------B           nothing proves the read at 6 yet
 *     after 11      A-------B               5 s at B prove the read at 6: the move is dated at 6
 *
 * @param smoothing by organization; needed for assets that {@link isSmoothingAsked} names.
 */
export async function historyChanges(
  stored: StoredTracking,
  touched: readonly Touched[],
  smoothing: ReadonlyMap<number, SmoothingSettings>,
): Promise<(Change & WithMoves)[]> {
  const toAppend: Touched[] = [];
  const toWorkIn: ScansToMerge[] = [];
  const arrived: (ScansToMerge & { smoothed: Smoothed })[] = [];
  for (const asset of touched) {
    const smoothed = isSmoothingAsked(asset) ? smoothedBy(smoothing, asset) : null;
    if (!asset.isInOrder || (smoothed !== null && isElsewhere(asset))) {
      toWorkIn.push({ ...asset, smoothed });
    } else if (smoothed !== null && hasArrivedWithin(smoothed.reach, asset)) {
      arrived.push({ ...asset, smoothed });
    } else {
      toAppend.push(asset);
    }
  }
  const [wereSeen, haveProof] = await Promise.all([
    wereSeenThereBefore(stored, arrived),
    areProvenByStrength(stored, arrived),
  ]);
  for (const [index, asset] of arrived.entries()) {
    (wereSeen[index] || haveProof[index] ? toWorkIn : toAppend).push(asset);
  }
  return [
    ...toAppend.map(appended),
    ...(toWorkIn.length === 0 ? [] : await mergeScans(stored, toWorkIn, smoothing)),
  ];
}

/**
 * False only if no setting can matter: the scans are in order, and the asset has been at their location for the widest
 * window.
 */
export function isSmoothingAsked(asset: Touched): boolean {
  return !asset.isInOrder || isElsewhere(asset) || hasArrivedWithin(MAX_WINDOW, asset);
}

function isElsewhere({ position, scans }: Touched): boolean {
  return scans.some(({ locationId }) => locationId !== position.stay?.locationId);
}

/**
 * Whether the asset moved to its location within `window` before the scans. Then they may complete the minimum time of
 * their run, so that earlier scans of it count as well; one from before the move would become the move.
 */
function hasArrivedWithin(window: Micros, { position, scans }: Touched): boolean {
  return position.stay !== null && position.stay.since >= earliest(scans) - window;
}

/** Whether the last scan before each asset's move was at the same location, within reach of its new scans. */
async function wereSeenThereBefore(
  stored: StoredTracking,
  assets: readonly (ScansToMerge & { smoothed: Smoothed })[],
): Promise<boolean[]> {
  if (assets.length === 0) {
    return [];
  }
  const before = await stored.lastBefore(
    assets.map(({ position: { orgId, assetId, stay } }) => ({
      orgId,
      assetId,
      observedAt: stay?.since ?? 0,
    })),
    leastOf(assets.map(({ scans, smoothed }) => earliest(scans) - smoothed.reach)),
  );
  return assets.map(({ position, scans, smoothed }, index) =>
    (before[index] ?? []).some(
      ({ observedAt, locationId }) =>
        locationId === position.stay?.locationId && observedAt >= earliest(scans) - smoothed.reach,
    ),
  );
}

/**
 * Whether strength proves each asset's move where time would prove it as well: then the proof that is kept may change. Of
 * other settings nothing is read.
 */
async function areProvenByStrength(
  stored: StoredTracking,
  assets: readonly (ScansToMerge & { smoothed: Smoothed })[],
): Promise<boolean[]> {
  const asked = assets.flatMap(({ position: { orgId, assetId, stay }, smoothed: { settings } }) => {
    const smoothing = stay === null ? null : settings.at(stay.locationId, stay.since);
    const isEither = smoothing !== null && smoothing.minimum !== null && smoothing.margin !== null;
    return stay === null || !isEither ? [] : [{ orgId, assetId, from: stay.since, to: stay.since }];
  });
  const transitions = asked.length === 0 ? [] : await stored.transitions(asked);
  const proven = new Set(
    asked.flatMap((asset, index) =>
      (transitions[index] ?? []).some(
        ({ observedAt, decidedBy }) => observedAt === asset.from && decidedBy?.proof === 'stronger',
      )
        ? [assetKey(asset)]
        : [],
    ),
  );
  return assets.map(({ position }) => proven.has(assetKey(position)));
}

function smoothedBy(
  smoothing: ReadonlyMap<number, SmoothingSettings>,
  { position, scans }: Touched,
): Smoothed | null {
  const settings = smoothing.get(position.orgId);
  const reach = settings?.reach(earliest(scans), latest(scans)) ?? 0;
  return settings === undefined || reach === 0 ? null : { settings, reach };
}

function appended(asset: Touched): Change & WithMoves {
  const { position, scans } = asset;
  if (!isElsewhere(asset)) {
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

/** The settings that bear on the scans of an asset, and the widest window among them. */
interface Smoothed {
  settings: SmoothingSettings;
  reach: Micros;
}

/** `smoothed` is null where smoothing does not bear on the scans. */
interface ScansToMerge extends Touched {
  smoothed: Smoothed | null;
}

/** Works scans into the neighbourhood of stored scans and transitions around them. */
async function mergeScans(
  stored: StoredTracking,
  touched: readonly ScansToMerge[],
  smoothing: ReadonlyMap<number, SmoothingSettings>,
): Promise<(Change & WithMoves)[]> {
  const around = await eachInTurns(touched, (asset) =>
    smoothing.has(asset.position.orgId) ? null : stored.around(asset),
  );
  const loaded = await neighbourhoodsOf(
    stored,
    touched.filter((_, index) => around[index] === null),
  );
  return eachInTurns(touched.entries(), ([index, asset]) => {
    const found = around[index] ?? loaded.get(assetKey(asset.position)) ?? NOTHING_CHANGES;
    if (found === NOTHING_CHANGES) {
      return unchanged(asset);
    }
    const neighbourhood =
      asset.smoothed === null ? afterSilence(found, smoothing.get(asset.position.orgId)) : found;
    const change = revision(asset.position, neighbourhood, asset.scans);
    return { ...change, moves: movesOf(asset, neighbourhood, change.upToNow) };
  });
}

function movesOf(
  asset: ScansToMerge,
  { spans }: Neighbourhood,
  upToNow: readonly Transition[] | null,
): readonly Move[] {
  if (upToNow === null) {
    return [];
  }
  return asset.smoothed === null
    ? movesInTurn(asset, asset.scans.map(toSighting), lastSightingAmong(spans, asset))
    : movesWhereSmoothed(asset, upToNow);
}

async function neighbourhoodsOf(
  stored: StoredTracking,
  touched: readonly ScansToMerge[],
): Promise<ReadonlyMap<string, Neighbourhood>> {
  const instants: LocatedScan[] = [];
  const smoothedAssets: SmoothedAsset[] = [];
  for (const { position, scans, smoothed } of touched) {
    if (smoothed === null) {
      append(instants, new Map(scans.map((scan) => [scan.observedAt, scan])).values());
    } else {
      const { orgId, assetId, lastSeen } = position;
      const changed = scans.map(({ observedAt }) => observedAt);
      smoothedAssets.push({
        ...{ orgId, assetId, changed, lastSeen: Math.max(lastSeen ?? 0, latest(scans)) },
        ...smoothed,
      });
    }
  }
  const [plain, smooth] = await Promise.all([
    instants.length === 0 ? [] : stored.neighbourhoods(instants),
    smoothedNeighbourhoods(stored, smoothedAssets),
  ]);
  return new Map([...plain, ...smooth]);
}
