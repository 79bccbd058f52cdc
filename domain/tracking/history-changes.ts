import type { Micros } from '../../base/instant.ts';
import { history, type Sighting, type Transition } from './history.ts';
import type { ChangedInstant, Neighbourhood } from './neighbourhood.ts';
import type { PlacedScan } from './placed-scan.ts';
import { assetName, type Position } from './positions.ts';
import { revise } from './revise.ts';
import { type StoredStretches, smoothedNeighbourhoods } from './smoothing/neighbourhood.ts';
import { MAX_WINDOW, type SmoothingSettings } from './smoothing/settings.ts';

/** An asset whose stored scans have just changed: where it was before, and its new or changed scans. */
export interface Touched {
  position: Position;
  /** At least one. */
  scans: PlacedScan[];
  /** Whether every scan is newer than all that was stored. */
  isInOrder: boolean;
}

/** What is to be written of one asset. */
export interface Change {
  position: Position;
  put: Transition[];
  gone: Transition[];
  /** Whether what is put is later than every scan that was stored before. */
  isNewest: boolean;
}

/** What is stored of the touched assets, their new and changed scans included. */
export interface StoredTracking extends StoredStretches {
  /** @returns by {@link assetName}. */
  neighbourhoods(changed: readonly ChangedInstant[]): Promise<ReadonlyMap<string, Neighbourhood>>;
  /** The scans at the last instant before each, none from before `since`; in the order of `instants`. */
  lastBefore(
    instants: readonly ChangedInstant[],
    since: Micros,
  ): Promise<Pick<Sighting, 'observedAt' | 'locationId'>[][]>;
}

/** Where smoothing bears on the scans of an asset: by what settings, and how far around them. */
interface Smoothed {
  settings: SmoothingSettings;
  reach: Micros;
}

/** An asset whose scans have to be worked into their neighbourhood. */
interface ToWorkIn extends Touched {
  smoothed: Smoothed | null;
}

/**
 * What brings transitions and positions up to the scans that were just written. Scans in order need nothing but the
 * position, constant work each; others are worked into their neighbourhood. So are scans in order that smoothing bears
 * on, unless they are where the asset is and cannot date its move there earlier.
 *
 * @param smoothing by organization; of those without an asset that {@link isSmoothingAsked} of it is not looked at.
 */
export async function historyChanges(
  stored: StoredTracking,
  touched: readonly Touched[],
  smoothing: ReadonlyMap<number, SmoothingSettings>,
): Promise<Change[]> {
  const toAppend: Touched[] = [];
  const toWorkIn: ToWorkIn[] = [];
  const recent: (ToWorkIn & { smoothed: Smoothed })[] = [];
  for (const asset of touched) {
    const smoothed = isSmoothingAsked(asset) ? smoothedBy(smoothing, asset) : null;
    if (!asset.isInOrder || (smoothed !== null && isElsewhere(asset))) {
      toWorkIn.push({ ...asset, smoothed });
    } else if (smoothed !== null && hasComeWithin(smoothed.reach, asset)) {
      recent.push({ ...asset, smoothed });
    } else {
      toAppend.push(asset);
    }
  }
  const isBefore = await seenBeforeTheyCame(stored, recent);
  for (const [index, asset] of recent.entries()) {
    (isBefore[index] ? toWorkIn : toAppend).push(asset);
  }
  return [...toAppend.map(append), ...(toWorkIn.length === 0 ? [] : await workIn(stored, toWorkIn))];
}

/**
 * Whether it matters to the history which of the scans count: not, whatever the settings, for the newest of an asset that
 * has been where they are for the widest window.
 */
export function isSmoothingAsked(asset: Touched): boolean {
  return !asset.isInOrder || isElsewhere(asset) || hasComeWithin(MAX_WINDOW, asset);
}

function isElsewhere({ position, scans }: Touched): boolean {
  return scans.some(({ locationId }) => locationId !== position.stay?.locationId);
}

/**
 * A scan in order where the asset is proves itself and others of its run, within a window before it, by being long enough.
 * Those after the transition change nothing. An earlier one would be the transition.
 */
function hasComeWithin(window: Micros, { position, scans }: Touched): boolean {
  return position.stay !== null && position.stay.since > earliest(scans) - window;
}

/** Which assets were seen, right before they came to where they are and near enough, there already. */
async function seenBeforeTheyCame(
  stored: StoredTracking,
  assets: readonly (ToWorkIn & { smoothed: Smoothed })[],
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
    Math.min(...assets.map(({ scans, smoothed }) => earliest(scans) - smoothed.reach)),
  );
  return assets.map(({ position, scans, smoothed }, index) =>
    (before[index] ?? []).some(
      ({ observedAt, locationId }) =>
        locationId === position.stay?.locationId && observedAt >= earliest(scans) - smoothed.reach,
    ),
  );
}

function smoothedBy(
  smoothing: ReadonlyMap<number, SmoothingSettings>,
  { position, scans }: Touched,
): Smoothed | null {
  const settings = smoothing.get(position.orgId);
  const reach = settings?.reach(earliest(scans), latest(scans)) ?? 0;
  return settings === undefined || reach === 0 ? null : { settings, reach };
}

function append({ position, scans }: Touched): Change {
  const put = history(scans.map(toSighting), position.stay);
  return { position: moved(position, put.at(-1), scans), put, gone: [], isNewest: true };
}

async function workIn(stored: StoredTracking, touched: readonly ToWorkIn[]): Promise<Change[]> {
  const neighbourhoods = await neighbourhoodsOf(stored, touched);
  return touched.map(({ position, scans }) =>
    revision(position, neighbourhoods.get(assetName(position)) ?? { windows: [], stored: [] }, scans),
  );
}

/** What brings an asset up to what is known of its neighbourhood. @param scans what is new of it, if anything. */
export function revision(
  position: Position,
  { windows, stored }: Neighbourhood,
  scans: readonly PlacedScan[],
): Change {
  const revised = revise(stored, windows);
  const before = new Map(stored.map((transition) => [transition.observedAt, transition]));
  const after = new Set(revised.map(({ observedAt }) => observedAt));
  // The last stay is among those looked at, or none of what has changed reaches it.
  const isLastStaySeen = position.stay === null || before.has(position.stay.since);
  return {
    position: moved(position, isLastStaySeen ? revised.at(-1) : undefined, scans),
    put: revised.filter((transition) => !isSame(before.get(transition.observedAt), transition)),
    gone: stored.filter(({ observedAt }) => !after.has(observedAt)),
    isNewest: false,
  };
}

async function neighbourhoodsOf(
  stored: StoredTracking,
  touched: readonly ToWorkIn[],
): Promise<ReadonlyMap<string, Neighbourhood>> {
  const instants = touched.flatMap(({ scans, smoothed }) =>
    smoothed === null ? [...new Map(scans.map((scan) => [scan.observedAt, scan])).values()] : [],
  );
  const smoothedAssets = touched.flatMap(({ position: { orgId, assetId, lastSeen }, scans, smoothed }) => {
    const changed = scans.map(({ observedAt }) => observedAt);
    return smoothed === null
      ? []
      : [{ orgId, assetId, changed, lastSeen: Math.max(lastSeen ?? 0, latest(scans)), ...smoothed }];
  });
  const [plain, smooth] = await Promise.all([
    instants.length === 0 ? [] : stored.neighbourhoods(instants),
    smoothedNeighbourhoods(stored, smoothedAssets),
  ]);
  return new Map([...plain, ...smooth]);
}

function moved(position: Position, last: Transition | undefined, scans: readonly PlacedScan[]): Position {
  return {
    ...position,
    stay: last === undefined ? position.stay : { locationId: last.locationId, since: last.observedAt },
    lastSeen: Math.max(position.lastSeen ?? 0, latest(scans)),
  };
}

function isSame(a: Transition | undefined, b: Transition): boolean {
  return a?.locationId === b.locationId && a.durationSeconds === b.durationSeconds;
}

function toSighting({ observedAt, locationId, scan }: PlacedScan): Sighting {
  return { observedAt, locationId, rssi: scan.rssi };
}

function earliest(scans: readonly PlacedScan[]): Micros {
  return scans.reduce((first, { observedAt }) => Math.min(first, observedAt), Number.POSITIVE_INFINITY);
}

function latest(scans: readonly PlacedScan[]): Micros {
  return scans.reduce((last, { observedAt }) => Math.max(last, observedAt), 0);
}
