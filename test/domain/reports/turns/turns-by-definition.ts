import type { Micros } from '../../../../base/instant.ts';
import type { Window } from '../../../../domain/reports/window.ts';
import { percentile } from '../dwell/dwell-by-definition.ts';
import { isWithin, type Past } from '../dwell/random-past.ts';

export interface AskedTurns {
  groupBy: 'asset' | 'day' | undefined;
  timeZone: string;
  assets: readonly number[] | null;
  left: number;
  reached: number;
  withDescendants: boolean;
  includeDeleted: boolean;
}

export interface TurnGroup {
  count: number;
  /** In milliseconds, as the others. */
  median: number | null;
  p90: number | null;
  max: number | null;
  notEnded: number;
}

/** Groups of turns, by walking through the past of each asset from one move to the next. */
export function turnsByDefinition(past: Past, window: Window, asked: AskedTurns): Map<string, TurnGroup> {
  const groups = new Map<string, { took: number[]; notEnded: number }>();
  const groupOf = (name: string) => {
    const group = groups.get(name) ?? { took: [], notEnded: 0 };
    groups.set(name, group);
    return group;
  };
  if (asked.groupBy === undefined) {
    groupOf('all');
  }
  for (const [asset, { deletedAt }] of past.assets.entries()) {
    if (asked.assets !== null && !asked.assets.includes(asset)) {
      continue;
    }
    const end = Math.min(window.to, deletedAt ?? window.to);
    if (end <= window.from) {
      continue;
    }
    const nameAt = (at: Micros) => {
      if (asked.groupBy === 'day') {
        return new Date(at / 1_000).toLocaleDateString('sv-SE', { timeZone: asked.timeZone });
      }
      const isSummedUp = deletedAt !== null && deletedAt <= window.to && !asked.includeDeleted;
      return asked.groupBy === undefined ? 'all' : isSummedUp ? 'deleted' : `${asset}`;
    };
    const { trips, open } = walk(past, asset, end, asked);
    for (const { left, reached } of trips.filter(({ reached: at }) => at >= window.from)) {
      groupOf(nameAt(reached)).took.push(Math.floor(reached / 1_000) - Math.floor(left / 1_000));
    }
    if (open !== null && open >= window.from) {
      groupOf(nameAt(open)).notEnded++;
    }
  }
  return new Map(
    [...groups].map(([name, { took, notEnded }]) => {
      const sorted = took.sort((a, b) => a - b);
      const isAny = sorted.length > 0;
      return [
        name,
        {
          count: sorted.length,
          median: isAny ? percentile(sorted, 0.5) : null,
          p90: isAny ? percentile(sorted, 0.9) : null,
          max: sorted.at(-1) ?? null,
          notEnded,
        },
      ];
    }),
  );
}

/** All trips of an asset until an instant, and since when it is under way. */
function walk(past: Past, asset: number, end: Micros, { left, reached, withDescendants }: AskedTurns) {
  const trips: { left: Micros; reached: Micros }[] = [];
  let open: Micros | null = null;
  let before: number | null = null;
  for (const { at, place } of past.assets[asset]?.transitions ?? []) {
    if (at >= end) {
      break;
    }
    // The tree of the instant of the move says where it comes from and where it goes to.
    const isAt = (location: number | null, root: number) =>
      location !== null && (withDescendants ? isWithin(past, location, [root], at) : location === root);
    const [wasThere, isThere] = [isAt(before, left), isAt(place, left)];
    if (wasThere && !isThere) {
      open = at;
    }
    if (!isAt(before, reached) && isAt(place, reached) && open !== null) {
      trips.push({ left: open, reached: at });
      open = null;
    }
    if (isThere) {
      open = null;
    }
    before = place;
  }
  return { trips, open };
}
