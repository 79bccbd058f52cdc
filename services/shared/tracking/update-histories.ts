import type { ClientBase } from 'pg';
import type { Micros } from '../instant.ts';
import { history, type Sighting, type Transition } from './history.ts';
import { loadNeighbourhoods, type Neighbourhood } from './neighbourhood.ts';
import type { PlacedScan } from './placed-scan.ts';
import { assetName, type Position, updatePositions } from './positions.ts';
import { revise } from './revise.ts';
import { loadSmoothedNeighbourhoods } from './smoothing/neighbourhood.ts';
import type { SmoothingSettings } from './smoothing/settings.ts';
import { type AssetTransition, deleteTransitions, putTransitions } from './transitions.ts';

/** An asset whose stored scans have just changed: where it was before, and its new or changed scans. */
export interface Touched {
  position: Position;
  scans: PlacedScan[];
  /** Whether every scan is newer than all that was stored. */
  isInOrder: boolean;
}

/** An asset whose scans have to be worked into their neighbourhood. */
interface ToWorkIn extends Touched {
  /** Where smoothing bears on the scans: by what settings, and how far around them; else null. */
  smoothed: { settings: SmoothingSettings; reach: Micros } | null;
}

/** What is to be written of one asset. */
interface Change {
  position: Position;
  put: Transition[];
  gone: Transition[];
}

/**
 * Brings transitions and positions up to the scans that were just written. Scans in order need nothing but the
 * position, constant work each; others are worked into their neighbourhood. So are scans in order that smoothing bears
 * on, unless they are where the asset is, for then nothing moves whether they count or not.
 *
 * @param touched of locked positions.
 * @param smoothing by organization; of those without an asset that {@link mayMove} it is not looked at.
 */
export async function updateHistories(
  client: ClientBase,
  touched: readonly Touched[],
  smoothing: ReadonlyMap<number, SmoothingSettings>,
): Promise<void> {
  const toAppend: Touched[] = [];
  const toWorkIn: ToWorkIn[] = [];
  for (const asset of touched) {
    const smoothed = mayMove(asset) ? smoothedBy(smoothing.get(asset.position.orgId), asset.scans) : null;
    if (asset.isInOrder && smoothed === null) {
      toAppend.push(asset);
    } else {
      toWorkIn.push({ ...asset, smoothed });
    }
  }
  const changes = [...toAppend.map(append), ...(toWorkIn.length === 0 ? [] : await workIn(client, toWorkIn))];
  const ofAsset = ({ orgId, assetId }: Position) => ({ orgId, assetId });
  const rows = (pick: (change: Change) => Transition[]): AssetTransition[] =>
    changes.flatMap((change) => pick(change).map((row) => ({ ...ofAsset(change.position), ...row })));
  await Promise.all([
    deleteTransitions(
      client,
      rows(({ gone }) => gone),
    ),
    putTransitions(
      client,
      rows(({ put }) => put),
    ),
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

/** Whether the scans are anything but the newest of an asset where it is, so that it matters which of them count. */
export function mayMove({ position, scans, isInOrder }: Touched): boolean {
  return !isInOrder || scans.some(({ locationId }) => locationId !== position.stay?.locationId);
}

function smoothedBy(
  settings: SmoothingSettings | undefined,
  scans: readonly PlacedScan[],
): ToWorkIn['smoothed'] {
  if (settings === undefined) {
    return null;
  }
  const instants = scans.map(({ observedAt }) => observedAt);
  const reach = settings.reach(Math.min(...instants), Math.max(...instants));
  return reach === 0 ? null : { settings, reach };
}

/** Whether `observedAt` is later than every stored scan of the asset. */
export function isAfterAll({ lastSeen }: Position, observedAt: number): boolean {
  return lastSeen === null || observedAt > lastSeen;
}

function append({ position, scans }: Touched): Change {
  const put = history(scans.map(toSighting), position.stay);
  return { position: moved(position, put.at(-1), scans), put, gone: [] };
}

async function workIn(client: ClientBase, touched: readonly ToWorkIn[]): Promise<Change[]> {
  const neighbourhoods = await neighbourhoodsOf(client, touched);
  return touched.map(({ position, scans }) => {
    const { windows, stored } = neighbourhoods.get(assetName(position)) ?? { windows: [], stored: [] };
    const revised = revise(stored, windows);
    const before = new Map(stored.map((transition) => [transition.observedAt, transition]));
    const after = new Set(revised.map(({ observedAt }) => observedAt));
    // The last stay is among those looked at, or none of what has changed reaches it.
    const isLastStaySeen = position.stay === null || before.has(position.stay.since);
    return {
      position: moved(position, isLastStaySeen ? revised.at(-1) : undefined, scans),
      put: revised.filter((transition) => !isSame(before.get(transition.observedAt), transition)),
      gone: stored.filter(({ observedAt }) => !after.has(observedAt)),
    };
  });
}

async function neighbourhoodsOf(
  client: ClientBase,
  touched: readonly ToWorkIn[],
): Promise<ReadonlyMap<string, Neighbourhood>> {
  const instants = touched.flatMap(({ scans, smoothed }) =>
    smoothed === null ? [...new Map(scans.map((scan) => [scan.observedAt, scan])).values()] : [],
  );
  const smoothedAssets = touched.flatMap(({ position: { orgId, assetId, lastSeen }, scans, smoothed }) => {
    const changed = scans.map(({ observedAt }) => observedAt);
    return smoothed === null
      ? []
      : [{ orgId, assetId, changed, lastSeen: Math.max(lastSeen ?? 0, ...changed), ...smoothed }];
  });
  const [plain, smooth] = await Promise.all([
    instants.length === 0 ? [] : loadNeighbourhoods(client, instants),
    loadSmoothedNeighbourhoods(client, smoothedAssets),
  ]);
  return new Map([...plain, ...smooth]);
}

function moved(position: Position, last: Transition | undefined, scans: readonly PlacedScan[]): Position {
  return {
    ...position,
    stay: last === undefined ? position.stay : { locationId: last.locationId, since: last.observedAt },
    lastSeen: scans.reduce((latest, { observedAt }) => Math.max(latest, observedAt), position.lastSeen ?? 0),
  };
}

function isSame(a: Transition | undefined, b: Transition): boolean {
  return a?.locationId === b.locationId && a.durationSeconds === b.durationSeconds;
}

function toSighting({ observedAt, locationId, scan }: PlacedScan): Sighting {
  return { observedAt, locationId, rssi: scan.rssi };
}
