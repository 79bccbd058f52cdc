import type { Micros } from '../../base/instant.ts';
import { history } from './history/history.ts';
import { toSighting } from './located-scan.ts';
import { type Change, positionAfter } from './revision.ts';
import { MAX_WINDOW, type SmoothingSettings } from './smoothing/settings.ts';
import type { StoredTracking } from './stored-tracking.ts';
import { lastSighting, movesInTurn, type Told } from './tell-moves.ts';
import { earliest, latest, type Touched } from './touched.ts';
import { type Smoothed, type ToWorkIn, workIn } from './work-in.ts';

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
): Promise<(Change & Told)[]> {
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

function append(asset: Touched): Change & Told {
  const { position, scans } = asset;
  const sightings = scans.map(toSighting);
  const put = history(sightings, position.stay);
  return {
    position: positionAfter(position, put.at(-1), scans),
    put,
    gone: [],
    isNewest: true,
    moves: movesInTurn(asset, sightings, lastSighting(position)),
  };
}
