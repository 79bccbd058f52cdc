import { MICROS_PER_MILLISECOND, MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { Figures, Kind, Measured, Moves, Outline } from './measured.ts';

/** What an asset's latest answer was at one second of truth. */
export interface Moment {
  location: string | null;
  /** In metres on the plan; null if unknown. */
  position: { x: number; y: number } | null;
}

export interface Answers {
  /** The final history. */
  moves: Moves;
  /** By tag, for each second of truth: what the reads before it gave. */
  moments: ReadonlyMap<string, readonly Moment[]>;
}

/** {@link Figures}, and more that is good to know. */
export interface Measures {
  figures: Figures;
  /** Median seconds from a true move until the answer names the location; null if none did. */
  lag: number | null;
  /** True moves whose location was named before the next one. */
  noticed: number;
  /** Median distance of positions from the truth; null without positions. */
  metres: number | null;
}

export function kindOf(tag: string): Kind {
  return tag.startsWith('rest') ? 'rest' : 'walk';
}

/** Compares what was answered with where things were, for all tags of one kind. */
export function measure(
  kind: Kind,
  { truth }: Pick<Measured, 'truth'>,
  outlines: readonly Outline[],
  { moves, moments }: Answers,
): Measures {
  const total = { seconds: 0, right: 0, rightNow: 0, moves: 0, trueMoves: 0 };
  const lags: number[] = [];
  const distances: number[] = [];
  for (const [tag, positions] of truth) {
    if (kindOf(tag) !== kind) {
      continue;
    }
    const history = moves[tag] ?? [];
    const own = moments.get(tag) ?? [];
    const seconds = positions.map((position, index) => ({
      at: position.at,
      truth: locationAt(outlines, position),
      final: historyAt(history, position.at),
      now: own[index]?.location ?? null,
      error: distance(position, own[index]?.position ?? null),
    }));
    const inside = seconds.filter((second) => second.truth !== null);
    total.seconds += inside.length;
    total.right += inside.filter((second) => second.final === second.truth).length;
    total.rightNow += inside.filter((second) => second.now === second.truth).length;
    total.moves += Math.max(0, history.length - 1);
    distances.push(...seconds.flatMap(({ error }) => error ?? []));
    const lag = lagsOf(inside);
    total.trueMoves += lag.length;
    lags.push(...lag.filter((each) => each !== null));
  }
  return {
    figures: {
      right_percent: percent(total.right, total.seconds),
      right_at_the_moment_percent: percent(total.rightNow, total.seconds),
      moves: total.moves,
      true_moves: total.trueMoves,
      seconds: total.seconds,
    },
    lag: median(lags),
    noticed: lags.length,
    metres: median(distances),
  };
}

/** Of each true move, the seconds until the answer named its location; null if another move came before. */
function lagsOf(
  seconds: readonly { at: Micros; truth: string | null; now: string | null }[],
): (number | null)[] {
  const lags: (number | null)[] = [];
  for (const [index, { at, truth }] of seconds.entries()) {
    if (index === 0 || seconds[index - 1]?.truth === truth) {
      continue;
    }
    const later = seconds.slice(index);
    const left = later.findIndex((second) => second.truth !== truth);
    const named = (left < 0 ? later : later.slice(0, left)).find((second) => second.now === truth);
    lags.push(named === undefined ? null : (named.at - at) / MICROS_PER_SECOND);
  }
  return lags;
}

/** The outline that a point lies in, by the even-odd rule. */
export function locationAt(outlines: readonly Outline[], point: { x: number; y: number }): string | null {
  return outlines.find(({ polygon }) => isInside(polygon, point))?.location ?? null;
}

function isInside(polygon: Outline['polygon'], { x, y }: { x: number; y: number }): boolean {
  let inside = false;
  for (const [index, [x1, y1]] of polygon.entries()) {
    const [x2, y2] = polygon.at(index - 1) ?? [x1, y1];
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) {
      inside = !inside;
    }
  }
  return inside;
}

function historyAt(history: Moves[string], at: Micros): string | null {
  const row = history.findLast(([instant]) => Date.parse(instant) * MICROS_PER_MILLISECOND <= at);
  return row?.[1] ?? null;
}

function distance(truth: { x: number; y: number }, position: Moment['position']): number | null {
  return position === null ? null : Math.hypot(position.x - truth.x, position.y - truth.y);
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((1_000 * part) / whole) / 10;
}

function median(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null;
}
