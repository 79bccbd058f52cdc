import { eachInTurns, Turns } from '../../../base/each-in-turns.ts';
import type { Micros } from '../../../base/instant.ts';
import { type AssetRef, assetKey } from '../history/asset-ref.ts';
import { type DecidedTransition, locationAt } from '../history/history.ts';
import type { Neighbourhood } from '../history/revise.ts';
import { revise, type Span } from '../history/revise.ts';
import { asSighting, provenScans, type Seen } from './counting.ts';
import type { Stretch } from './load-stretches.ts';
import type { SmoothingSettings } from './settings.ts';

/** Answers are in the order of the stretches. */
export interface StoredStretches {
  scans(stretches: readonly Stretch[]): Promise<Seen[][]>;
  /** The transitions in each, with the last before and the first after it. */
  transitions(stretches: readonly Stretch[]): Promise<DecidedTransition[][]>;
  /** The instant of the last of up to `count` scans after each; null if there are none. */
  scansAhead(stretches: readonly Stretch[], count: number): Promise<(Micros | null)[]>;
}

export interface AssetOfSettings extends AssetRef {
  /** Of all its scans, the changed ones included. */
  lastSeen: Micros;
  settings: SmoothingSettings;
}

export interface SmoothedAsset extends AssetOfSettings {
  changed: readonly Micros[];
  /** The widest window of any scan that the changed ones bear on. */
  reach: Micros;
}

/**
 * Loads what {@link revise} needs of smoothed assets; its sightings are the scans that count.
 *
 * 1. A changed scan bears on the scans within its window. So the stretch of one window to either side is judged anew,
 *    for which another window's length around it is read.
 * 2. After the stretch the same scans count as before. But if the stretch now ends in another stay than is stored, the
 *    first of them follows another stay. Then later scans are judged too, in pieces that grow, each read once, until
 *    the stay is the stored one again: at the next scan that counts. That is the very next unless it is in doubt, so
 *    only late scans take more than one round, and seldom do.
 * 3. Looking ahead ends where the next stretch begins, which is judged anyway. So a day's late reads of one asset are
 *    each read once.
 *
 *     read            [---window---|---window---*---window---|---window---]      *: changed
 *     judged anew                  [------------*------------]
 *     looked ahead                                           [---...-> until the stays agree
 *
 * @returns by {@link assetKey}.
 */
export function smoothedNeighbourhoods(
  stored: StoredStretches,
  assets: readonly SmoothedAsset[],
): Promise<ReadonlyMap<string, Neighbourhood>> {
  return neighbourhoodsOfStretches(stored, assets, assets.flatMap(initialStretches));
}

/** {@link smoothedNeighbourhoods} of given stretches, in which any scan may count anew. */
export async function neighbourhoodsOfStretches(
  stored: StoredStretches,
  assets: readonly AssetOfSettings[],
  stretches: readonly Stretch[],
): Promise<ReadonlyMap<string, Neighbourhood>> {
  const known = new Map(assets.map((asset) => [assetKey(asset), new KnownOfAsset(asset)]));
  let pieces = stretches;
  for (let count = 1; pieces.length > 0; count = Math.min(8 * count, MOST_AHEAD)) {
    await learnAll(stored, known, pieces);
    const diverging = (await eachInTurns(known.values(), (asset) => asset.diverging())).flat();
    pieces = diverging.length === 0 ? [] : await piecesAhead(stored, diverging, count);
  }
  return new Map(await eachInTurns(known, ([key, asset]) => [key, asset.neighbourhood()] as const));
}

/**
 * Loads as many pieces at a time as have some ten thousand scans: ten minutes of an asset that is read ten times a
 * second have thousands, and a batch has hundreds of assets, or ten thousand.
 */
async function learnAll(
  stored: StoredStretches,
  known: ReadonlyMap<string, KnownOfAsset>,
  pieces: readonly Stretch[],
): Promise<void> {
  const turns = new Turns();
  for (let start = 0, size = FIRST_PIECES; start < pieces.length; ) {
    const some = pieces.slice(start, start + size);
    const [scans, transitions] = await Promise.all([
      stored.scans(some.map((piece) => known.get(assetKey(piece))?.surroundingsOf(piece) ?? piece)),
      stored.transitions(some),
    ]);
    for (const [index, piece] of some.entries()) {
      await known.get(assetKey(piece))?.learn(piece, scans[index] ?? [], transitions[index] ?? []);
      await turns.next();
    }
    const read = scans.reduce((sum, { length }) => sum + length, 0);
    start += some.length;
    size = Math.ceil(size * Math.min(4, SCANS_AT_A_TIME / Math.max(1, read)));
  }
}

const FIRST_PIECES = 8;

/** Scans in memory, 100 bytes each. */
const SCANS_AT_A_TIME = 50_000;

const MOST_AHEAD = 4_096;

async function piecesAhead(
  stored: StoredStretches,
  diverging: readonly DivergingStretch[],
  count: number,
): Promise<Stretch[]> {
  const ends = await stored.scansAhead(diverging, count);
  return diverging.flatMap(({ orgId, assetId, to: end, next }, index) => {
    const last = ends[index] ?? null;
    return last === null ? [] : [{ orgId, assetId, from: end + 1, to: Math.min(last, next - 1) }];
  });
}

/** Ends in another stay than is stored. */
interface DivergingStretch extends Stretch {
  /** The beginning of the next stretch that was judged. */
  next: Micros;
}

/** One window to either side of every changed instant; merged where they meet. */
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
  /** By their ends. The sightings are the scans that count. */
  readonly #spans = new Map<Micros, Span>();
  readonly #stored = new Map<Micros, DecidedTransition>();

  constructor(asset: AssetOfSettings) {
    this.#asset = asset;
  }

  /**
   * Includes all scans that bear on those in the stretch. Another setting may hold there than around the changed scans.
   */
  surroundingsOf({ from, to, ...asset }: Stretch): Stretch {
    const reach = this.#asset.settings.reach(from, to);
    return { ...asset, from: from - reach, to: to + reach };
  }

  /**
   * @param piece a stretch, or what follows one that was learned.
   * @param scans all in its surroundings.
   */
  async learn(
    { from, to }: Stretch,
    scans: readonly Seen[],
    transitions: readonly DecidedTransition[],
  ): Promise<void> {
    const sightings = (await provenScans(scans, this.#asset.settings))
      .filter(({ scan: { observedAt } }) => observedAt >= from && observedAt <= to)
      // The first scan of a run says as much as all of it.
      .filter(({ scan: { locationId } }, index, all) => locationId !== all[index - 1]?.scan.locationId)
      .map(asSighting);
    const continued = this.#spans.get(from - 1);
    this.#spans.delete(from - 1);
    this.#spans.set(to, {
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
      spans: [...this.#spans.values()].toSorted((a, b) => a.from - b.from),
      stored: [...this.#stored.values()].toSorted((a, b) => a.observedAt - b.observedAt),
    };
  }

  /** Stretches that end in another stay than is stored, and are followed by scans not judged yet. */
  diverging(): DivergingStretch[] {
    const { orgId, assetId, lastSeen } = this.#asset;
    const { spans, stored } = this.neighbourhood();
    const revised = revise(stored, spans);
    return spans.flatMap(({ from, to }, index) => {
      const next = spans[index + 1]?.from ?? Number.POSITIVE_INFINITY;
      const hasConverged =
        to >= lastSeen || next === to + 1 || locationAt(revised, to) === locationAt(stored, to);
      return hasConverged ? [] : [{ orgId, assetId, from, to, next }];
    });
  }
}
