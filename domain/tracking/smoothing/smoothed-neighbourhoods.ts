import { setImmediate } from 'node:timers/promises';
import type { Micros } from '../../../base/instant.ts';
import { type AssetRef, assetKey } from '../history/asset-ref.ts';
import { locationAt, type Transition } from '../history/history.ts';
import type { Neighbourhood } from '../history/revise.ts';
import { revise, type Window } from '../history/revise.ts';
import { countingScans, type Seen } from './counting.ts';
import type { Stretch } from './load-stretches.ts';
import type { SmoothingSettings } from './settings.ts';

/** What is stored of assets, stretch by stretch; every answer is in the order of the stretches. */
export interface StoredStretches {
  /** The scans in each. */
  scans(stretches: readonly Stretch[]): Promise<Seen[][]>;
  /** The transitions in each, with the last before and the first after it. */
  transitions(stretches: readonly Stretch[]): Promise<Transition[][]>;
  /** When the last of the up to `count` scans after each was observed; null if there is none. */
  scansAhead(stretches: readonly Stretch[], count: number): Promise<(Micros | null)[]>;
}

export interface AssetOfSettings extends AssetRef {
  /** The newest instant at which it was seen. */
  lastSeen: Micros;
  settings: SmoothingSettings;
}

/** An asset whose scans have changed where smoothing bears on them. */
export interface SmoothedAsset extends AssetOfSettings {
  /** The instants of the changed scans. */
  changed: readonly Micros[];
  /** The widest window that can hold for what the changed scans bear upon. */
  reach: Micros;
}

/**
 * What {@link revise} needs to know of assets that are smoothed, with the scans that count as its sightings.
 *
 * A changed scan bears on the scans within its window, so a stretch of one window to either side is looked at anew, for
 * which another window's length around it is read. After the stretch the same scans count as before; but the first of
 * them follows on another stay if the stretch now ends in another. Then one looks on, piece by piece and each read
 * once, until the stay is the one that is stored, which it is from the first scan that counts. That is the next scan
 * unless it lies in doubt; so only late scans take more than one round, and seldom do. Nor does one look on into the next
 * stretch that was looked at anyway, so that a day's late reads of one asset are each read once.
 *
 * @returns by {@link assetKey}.
 */
export function smoothedNeighbourhoods(
  stored: StoredStretches,
  assets: readonly SmoothedAsset[],
): Promise<ReadonlyMap<string, Neighbourhood>> {
  return neighbourhoodsOfStretches(stored, assets, assets.flatMap(initialStretches));
}

/** As {@link smoothedNeighbourhoods}, of stretches of the assets in which any scan may count anew. */
export async function neighbourhoodsOfStretches(
  stored: StoredStretches,
  assets: readonly AssetOfSettings[],
  stretches: readonly Stretch[],
): Promise<ReadonlyMap<string, Neighbourhood>> {
  const known = new Map(assets.map((asset) => [assetKey(asset), new KnownOfAsset(asset)]));
  let pieces = stretches;
  for (let count = 1; pieces.length > 0; count = Math.min(8 * count, MOST_AHEAD)) {
    await learnAll(stored, known, pieces);
    const unsettled = [...known.values()].flatMap((asset) => asset.unsettled());
    pieces = unsettled.length === 0 ? [] : await piecesAhead(stored, unsettled, count);
  }
  return new Map([...known].map(([name, asset]) => [name, asset.neighbourhood()]));
}

/**
 * Some pieces at a time, as many as have some ten thousand scans: a window of ten minutes has thousands where an asset is
 * read ten times a second, and a batch has hundreds of assets. Between two that are long others have their turn.
 */
async function learnAll(
  stored: StoredStretches,
  known: ReadonlyMap<string, KnownOfAsset>,
  pieces: readonly Stretch[],
): Promise<void> {
  for (let start = 0, size = FIRST_PIECES; start < pieces.length; ) {
    const some = pieces.slice(start, start + size);
    const [scans, transitions] = await Promise.all([
      stored.scans(some.map((piece) => known.get(assetKey(piece))?.surroundingsOf(piece) ?? piece)),
      stored.transitions(some),
    ]);
    let read = 0;
    let sinceTurn = 0;
    for (const [index, piece] of some.entries()) {
      const ofPiece = scans[index] ?? [];
      known.get(assetKey(piece))?.learn(piece, ofPiece, transitions[index] ?? []);
      read += ofPiece.length;
      sinceTurn += ofPiece.length;
      if (sinceTurn > SCANS_A_TURN) {
        sinceTurn = 0;
        await setImmediate();
      }
    }
    start += some.length;
    size = Math.ceil(size * Math.min(4, SCANS_AT_A_TIME / Math.max(1, read)));
  }
}

const FIRST_PIECES = 8;

/** In memory; 100 bytes each. */
const SCANS_AT_A_TIME = 50_000;

/** Judged without letting go of the event loop; 10 ms. */
const SCANS_A_TURN = 5_000;

const MOST_AHEAD = 4_096;

async function piecesAhead(
  stored: StoredStretches,
  unsettled: readonly Unsettled[],
  count: number,
): Promise<Stretch[]> {
  const ends = await stored.scansAhead(unsettled, count);
  return unsettled.flatMap(({ orgId, assetId, to: end, next }, index) => {
    const last = ends[index] ?? null;
    return last === null ? [] : [{ orgId, assetId, from: end + 1, to: Math.min(last, next - 1) }];
  });
}

/** A stretch that ends in another stay than is stored. */
interface Unsettled extends Stretch {
  /** Where the next stretch begins that was looked at. */
  next: Micros;
}

/** One window to either side of every changed instant; those that meet made one. */
function initialStretches({ orgId, assetId, changed, reach }: SmoothedAsset): Stretch[] {
  const stretches: Stretch[] = [];
  for (const instant of changed.toSorted((a, b) => a - b)) {
    const last = stretches.at(-1);
    if (last !== undefined && instant - reach <= last.to) {
      last.to = instant + reach;
    } else {
      stretches.push({ orgId, assetId, from: instant - reach, to: instant + reach });
    }
  }
  return stretches;
}

class KnownOfAsset {
  readonly #asset: AssetOfSettings;
  /** What was looked at, by where it ends, with the scans that count. */
  readonly #windows = new Map<Micros, Window>();
  readonly #stored = new Map<Micros, Transition>();

  constructor(asset: AssetOfSettings) {
    this.#asset = asset;
  }

  /** With all that bears on the scans in it. Another setting may hold there than around the changed scans. */
  surroundingsOf({ from, to, ...asset }: Stretch): Stretch {
    const reach = this.#asset.settings.reach(from, to);
    return { ...asset, from: from - reach, to: to + reach };
  }

  /**
   * @param piece a stretch, or what comes right after one that was learned.
   * @param scans all in its surroundings.
   */
  learn({ from, to }: Stretch, scans: readonly Seen[], transitions: readonly Transition[]): void {
    const sightings = countingScans(scans, this.#asset.settings)
      .filter(({ observedAt }) => observedAt >= from && observedAt <= to)
      // The first of a run says as much as all of it.
      .filter(({ locationId }, index, all) => locationId !== all[index - 1]?.locationId);
    const continued = this.#windows.get(from - 1);
    this.#windows.delete(from - 1);
    this.#windows.set(to, {
      from: continued?.from ?? from,
      to,
      sightings: continued === undefined ? sightings : [...continued.sightings, ...sightings],
    });
    for (const transition of transitions) {
      this.#stored.set(transition.observedAt, transition);
    }
  }

  neighbourhood(): Neighbourhood {
    return {
      windows: [...this.#windows.values()].toSorted((a, b) => a.from - b.from),
      stored: [...this.#stored.values()].toSorted((a, b) => a.observedAt - b.observedAt),
    };
  }

  /** Stretches that end in another stay than is stored, with scans after them that were not looked at. */
  unsettled(): Unsettled[] {
    const { orgId, assetId, lastSeen } = this.#asset;
    const { windows, stored } = this.neighbourhood();
    const revised = revise(stored, windows);
    return windows.flatMap(({ from, to }, index) => {
      const next = windows[index + 1]?.from ?? Number.POSITIVE_INFINITY;
      const isSettled =
        to >= lastSeen || next === to + 1 || locationAt(revised, to) === locationAt(stored, to);
      return isSettled ? [] : [{ orgId, assetId, from, to, next }];
    });
  }
}
