import type { MetricPosition } from '../history/metric-position.ts';

/**
 * Finds the position on a plan that explains the levels best: location by `position`. The rules have the numbers of
 * docs/location.md.
 */

export interface Point {
  x: number;
  y: number;
}

export interface PinnedAntenna extends Point {
  readerId: number;
  antenna: number;
}

/** A plan with a scale; everything in metres from the left and the top of its image. */
export interface PlanParts {
  /** That the plan belongs to. */
  locationId: number;
  /** Locations drawn on it: the corners of each outline, or one point. */
  places: readonly { locationId: number; corners: readonly Point[] }[];
  antennas: readonly PinnedAntenna[];
}

/** The size of a plan's image, or of the area it shows. */
export interface Size {
  width: number;
  height: number;
}

/** Two points of a plan, x and y each from 0 at the left or the top to 1, and how far apart they are. */
export interface Scale {
  points: readonly [readonly [x: number, y: number], readonly [x: number, y: number]];
  metres: number;
}

/** How wide and how high an image in pixels is in metres. */
export function sizeInMetres({ width, height }: Size, scale: Scale): Size {
  const metresPerPixel = scale.metres / pixelsApart({ width, height }, scale);
  return { width: width * metresPerPixel, height: height * metresPerPixel };
}

export function pixelsApart({ width, height }: Size, { points: [[x1, y1], [x2, y2]] }: Scale): number {
  return Math.hypot((x2 - x1) * width, (y2 - y1) * height);
}

export interface Pin extends PinnedAntenna {
  heightM: number;
  /** How much less than at 1 m is expected in each cell, in dB; null if that is not remembered. */
  losses: Float64Array | null;
}

export interface Fit {
  position: MetricPosition;
  /** The three best locations, the greatest first; of equal ones the smaller id. */
  shares: { locationId: number; share: number }[];
  /** Of all locations. */
  all: number;
}

/** Cells in the rectangle around all outlines, and rows and columns: 200 m by 200 m. A plan with more is as one without a scale. */
export const MOST_CELLS = 40_000;

/** Steps to find out which cell is in which outline; a plan with more is as one without a scale. They take some 30 ms. */
const MOST_STEPS = 1_000_000;

/** Losses that a plan remembers; 8 bytes each. */
const MOST_LOSSES = 1_000_000;

export class Plan {
  readonly locationId: number;
  readonly #ground: Ground;
  /** By {@link antennaId}. */
  readonly #pins: ReadonlyMap<number, Pin>;
  /** In memory at most, about. */
  readonly bytes: number;
  #remembered = 0;

  /** Null if it can be decided on. */
  static faultOf({ places }: Pick<PlanParts, 'places'>): PlanFault | null {
    return places.length === 0 ? 'no_places' : groundOf(places).fault;
  }

  constructor({ locationId, places, antennas }: PlanParts, heightOf: (pin: PinnedAntenna) => number) {
    this.locationId = locationId;
    this.#ground = groundOf(places);
    const { size } = this.#ground;
    this.bytes = 100 * size + 8 * Math.min(MOST_LOSSES, size * antennas.length);
    this.#pins = new Map(
      antennas.map((pin) => [antennaId(pin), { ...pin, heightM: heightOf(pin), losses: null }]),
    );
  }

  /**
   * Microseconds that a fit takes, as estimated; the first on this ground has to find its cells, and each the losses
   * that are not remembered.
   */
  costOf(pins: readonly Pin[]): number {
    const { size, missingSteps } = this.#ground;
    const missing = pins.filter((pin) => pin.losses === null).length;
    return size * (pins.length * 0.0025 + missing * COST_OF_LOSS + 0.02) + missingSteps * COST_OF_STEP;
  }

  pinOf(antenna: { readerId: number; antenna: number }): Pin | null {
    return this.#pins.get(antennaId(antenna)) ?? null;
  }

  /**
   * Rules 14 to 18.
   *
   * @param pins in the order of antennas' ids, with the level of each.
   * @param loudest the highest level in the window.
   */
  fit(pins: readonly Pin[], levels: readonly number[], loudest: number, tagDbm: number): Fit {
    const { firsts, fits } = this.#ground.cells;
    firsts.fill(0);
    const seconds = fits.fill(0);
    let sum = 0;
    for (const [index, pin] of pins.entries()) {
      const level = levels[index] as number;
      // Rule 15.
      const w = 1 / (SHADOWING ** 2 * (1 + squareOf((loudest - level) / FAINT)));
      sum += w;
      const losses = this.#lossesOf(pin);
      for (let cell = 0; cell < losses.length; cell++) {
        // Rule 14.
        const e = level - (tagDbm - (losses[cell] as number));
        firsts[cell] = (firsts[cell] as number) + w * e;
        seconds[cell] = (seconds[cell] as number) + w * (e * e);
      }
    }
    const common = sum + 1 / COMMON ** 2;
    let best = Number.NEGATIVE_INFINITY;
    for (let cell = 0; cell < fits.length; cell++) {
      const first = firsts[cell] as number;
      // Rule 16.
      const f = -((seconds[cell] as number) - (first * first) / common) / 2;
      fits[cell] = f;
      if (f > best) {
        best = f;
      }
    }
    return this.#shared(best);
  }

  /** Rules 17 and 18, of `#fits`. */
  #shared(best: number): Fit {
    const { fits, of, x: xs, y: ys, locations } = this.#ground.cells;
    const shares = new Float64Array(locations.length);
    let [all, x, y] = [0, 0, 0];
    for (let cell = 0; cell < fits.length; cell++) {
      const below = (fits[cell] as number) - best;
      const share = below < NOTHING ? 0 : Math.exp(below);
      fits[cell] = share;
      if (share > 0) {
        const location = of[cell] as number;
        shares[location] = (shares[location] as number) + share;
        all += share;
        x += share * (xs[cell] as number);
        y += share * (ys[cell] as number);
      }
    }
    const mean = { x: x / all, y: y / all };
    let squared = 0;
    for (let cell = 0; cell < fits.length; cell++) {
      const share = fits[cell] as number;
      if (share > 0) {
        const dx = (xs[cell] as number) - mean.x;
        const dy = (ys[cell] as number) - mean.y;
        squared += share * (dx * dx + dy * dy);
      }
    }
    return {
      position: { planLocationId: this.locationId, ...mean, radius: Math.sqrt(squared / all) },
      shares: locations
        .map((locationId, index) => ({ locationId, share: shares[index] as number }))
        .sort((a, b) => b.share - a.share || a.locationId - b.locationId)
        .slice(0, 3),
      all,
    };
  }

  #lossesOf(pin: Pin): Float64Array {
    if (pin.losses !== null) {
      return pin.losses;
    }
    const { x: xs, y: ys } = this.#ground.cells;
    const losses = xs.map((x, cell) => {
      const [dx, dy] = [x - pin.x, (ys[cell] as number) - pin.y];
      return 20 * Math.log10(Math.max(1, Math.sqrt(dx * dx + dy * dy + pin.heightM * pin.heightM)));
    });
    if (this.#remembered + losses.length <= MOST_LOSSES) {
      this.#remembered += losses.length;
      pin.losses = losses;
    }
    return losses;
  }
}

function squareOf(number: number): number {
  return number * number;
}

/** Shadowing of one antenna, in dB. */
const SHADOWING = 5;

/** Shared by all levels of one tag, in dB: battery, body, orientation. */
const COMMON = 3;

/** A level that many dB below the loudest, nearly 6 times as far away, says half as much. */
const FAINT = 15;

/** The logarithm of a share that changes no sum: 10^-17 of the greatest. */
const NOTHING = -40;

/** Microseconds. */
const COST_OF_STEP = 0.03;

/** Microseconds to compute the loss in a cell. */
const COST_OF_LOSS = 0.025;

/** Why a plan cannot be decided on. */
export type PlanFault = 'no_places' | 'too_wide' | 'too_intricate';

interface Cells {
  /** Centres, in rule 11's order. */
  x: Float64Array;
  y: Float64Array;
  /** For each cell, the index of its location in `locations`. */
  of: Uint32Array;
  locations: readonly number[];
  /** Sums of the fit that is being made. */
  firsts: Float64Array;
  fits: Float64Array;
}

/** The places of plans, and the cells in them: found when they are first asked for, since that holds the process. */
class Ground {
  readonly fault: Exclude<PlanFault, 'no_places'> | null;
  readonly #places: PlanParts['places'];
  readonly #extent: Extent;
  readonly #steps: number;
  #cells: Cells | null = null;

  constructor(places: PlanParts['places']) {
    this.#places = places;
    this.#extent = extentOf(places.flatMap(({ corners }) => corners));
    const { columns, rows } = this.#extent;
    const isTooWide = Math.max(1, columns) * Math.max(1, rows) > MOST_CELLS;
    this.#steps = isTooWide ? 0 : places.reduce((sum, { corners }) => sum + stepsOf(corners), 0);
    this.fault = isTooWide ? 'too_wide' : this.#steps > MOST_STEPS ? 'too_intricate' : null;
  }

  /** Cells; until they are found, as many as there may be. */
  get size(): number {
    return this.#cells?.x.length ?? this.#extent.columns * this.#extent.rows + this.#places.length;
  }

  /** To find the cells. */
  get missingSteps(): number {
    return this.#cells === null ? this.#steps : 0;
  }

  get cells(): Cells {
    this.#cells ??= cellsOf(this.#places, this.#extent);
    return this.#cells;
  }
}

const grounds = new WeakMap<PlanParts['places'], Ground>();

function groundOf(places: PlanParts['places']): Ground {
  const ground = grounds.get(places) ?? new Ground(places);
  grounds.set(places, ground);
  return ground;
}

/** For each row of an outline, its corners and columns. */
function stepsOf(corners: readonly Point[]): number {
  const { columns, rows } = extentOf(corners);
  return corners.length + rows * (corners.length + columns);
}

/** Rule 11. */
function cellsOf(places: PlanParts['places'], { left, top, columns, rows }: Extent): Cells {
  const taken: (number | undefined)[] = new Array(columns * rows).fill(undefined);
  const bySize = places
    .map((place) => ({ ...place, area: areaOf(place.corners) }))
    .sort((a, b) => a.area - b.area || a.locationId - b.locationId);
  for (const { locationId, corners } of bySize) {
    const own = extentOf(corners);
    const [firstRow, firstColumn] = [own.top - top, own.left - left];
    for (let row = firstRow; row < firstRow + own.rows; row++) {
      const borders = bordersAt(top + row + 0.5, corners);
      for (
        let column = firstColumn, next = 0;
        column < firstColumn + own.columns && next < borders.length;
        column++
      ) {
        while (next < borders.length && left + column + 0.5 >= (borders[next] as number)) {
          next += 1;
        }
        // Even-odd: an odd number of borders to the right.
        if ((borders.length - next) % 2 === 1) {
          taken[row * columns + column] ??= locationId;
        }
      }
    }
  }
  const cells = taken.flatMap((locationId, index) =>
    locationId === undefined
      ? []
      : [{ x: left + (index % columns) + 0.5, y: top + Math.floor(index / columns) + 0.5, locationId }],
  );
  const withCells = new Set(taken);
  const without = places
    .filter(({ locationId }) => !withCells.has(locationId))
    .toSorted((a, b) => a.locationId - b.locationId)
    .map(({ locationId, corners }) => ({ ...meanOf(corners), locationId }));
  const all = [...cells, ...without];
  const locations = [...new Set(all.map(({ locationId }) => locationId))];
  const indexes = new Map(locations.map((id, index) => [id, index]));
  return {
    x: Float64Array.from(all, ({ x }) => x),
    y: Float64Array.from(all, ({ y }) => y),
    of: Uint32Array.from(all, ({ locationId }) => indexes.get(locationId) ?? 0),
    locations,
    firsts: new Float64Array(all.length),
    fits: new Float64Array(all.length),
  };
}

/** Where an outline's borders cross a row, from left to right. */
function bordersAt(y: number, corners: readonly Point[]): number[] {
  const borders: number[] = [];
  let last = corners.at(-1);
  for (const corner of corners) {
    if (last !== undefined && corner.y > y !== last.y > y) {
      borders.push(((last.x - corner.x) * (y - corner.y)) / (last.y - corner.y) + corner.x);
    }
    last = corner;
  }
  return borders.sort((a, b) => a - b);
}

interface Extent {
  left: number;
  top: number;
  columns: number;
  rows: number;
}

/** Whole metres around corners. */
function extentOf(corners: readonly Point[]): Extent {
  const left = Math.floor(corners.reduce((least, { x }) => Math.min(least, x), Number.POSITIVE_INFINITY));
  const top = Math.floor(corners.reduce((least, { y }) => Math.min(least, y), Number.POSITIVE_INFINITY));
  const right = Math.ceil(corners.reduce((most, { x }) => Math.max(most, x), Number.NEGATIVE_INFINITY));
  const bottom = Math.ceil(corners.reduce((most, { y }) => Math.max(most, y), Number.NEGATIVE_INFINITY));
  return corners.length === 0
    ? { left: 0, top: 0, columns: 0, rows: 0 }
    : { left, top, columns: right - left, rows: bottom - top };
}

function areaOf(corners: readonly Point[]): number {
  let twice = 0;
  for (const [index, { x, y }] of corners.entries()) {
    const next = corners[(index + 1) % corners.length] as Point;
    twice += x * next.y - next.x * y;
  }
  return Math.abs(twice) / 2;
}

function meanOf(corners: readonly Point[]): Point {
  return {
    x: corners.reduce((sum, { x }) => sum + x, 0) / corners.length,
    y: corners.reduce((sum, { y }) => sum + y, 0) / corners.length,
  };
}

/** One number for an antenna of a reader; ascending by reader, then antenna. */
export function antennaId({ readerId, antenna }: { readerId: number; antenna: number }): number {
  return readerId * MOST_ANTENNAS + antenna;
}

const MOST_ANTENNAS = 2 ** 16;
