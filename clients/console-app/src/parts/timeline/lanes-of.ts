import type { Reference, Stay } from '../../api/types.ts';
import type { Range } from './ticks.ts';

export interface Bar {
  stay: Stay;
  /** In the range, from 0 to 1. */
  from: number;
  to: number;
  /** Stays it stands for: several where they are narrower than can be seen. */
  count: number;
}

export interface Lane {
  /** Null for all the places that have no lane of their own. */
  place: Reference | null;
  bars: Bar[];
  milliseconds: number;
}

/** Places with their own lane: those where the asset was longest. */
const MOST_LANES = 10;

/** As a share of the range; narrower neighbours are drawn as one. */
const NARROW = 1 / 600;

/** A lane for each place, the one visited first on top. */
export function lanesOf(stays: readonly Stay[], range: Range, now: number): Lane[] {
  const width = range.to - range.from;
  const lanes = new Map<number, Lane>();
  for (const stay of stays) {
    const from = Math.max(Date.parse(stay.arrived_at), range.from);
    const to = Math.min(stay.left_at === null ? Math.max(now, from) : Date.parse(stay.left_at), range.to);
    if (to < range.from || from > range.to) {
      continue;
    }
    const lane = lanes.get(stay.location.id) ?? { place: stay.location, bars: [], milliseconds: 0 };
    lanes.set(stay.location.id, lane);
    lane.milliseconds += to - from;
    addBar(lane.bars, {
      stay,
      from: (from - range.from) / width,
      to: (to - range.from) / width,
      count: 1,
    });
  }
  const all = [...lanes.values()];
  if (all.length <= MOST_LANES) {
    return all;
  }
  const own = new Set(all.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, MOST_LANES - 1));
  const others = all.filter((lane) => !own.has(lane));
  return [
    ...all.filter((lane) => own.has(lane)),
    {
      place: null,
      bars: others.flatMap(({ bars }) => bars).toSorted((a, b) => a.from - b.from),
      milliseconds: others.reduce((sum, { milliseconds }) => sum + milliseconds, 0),
    },
  ];
}

function addBar(bars: Bar[], bar: Bar): void {
  const last = bars.at(-1);
  if (last !== undefined && bar.to - bar.from < NARROW && bar.from - last.to < NARROW) {
    last.to = Math.max(last.to, bar.to);
    last.count += 1;
  } else {
    bars.push(bar);
  }
}

/** Tones that can be told apart on paper and by night; more places than these share them. */
const TONES = ['--seen-ink', '--moved-ink', '--place-ink', '--problem-ink', '--refused-ink', '--queued-ink'];

/** A tone for each place, in the order in which they are named. */
export function coloursOf(ids: readonly number[]): (id: number | null | undefined) => string {
  const order = [...new Set(ids)];
  return (id) => {
    const index = id === null || id === undefined ? -1 : order.indexOf(id);
    return index === -1 ? 'var(--line)' : `var(${TONES[index % TONES.length]})`;
  };
}
