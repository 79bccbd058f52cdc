import type { Micros } from '../../../../base/instant.ts';
import type { Window } from '../../../../domain/reports/window.ts';
import { isWithin, type Past } from './random-past.ts';

export interface Asked {
  groupBy: 'location' | 'asset' | 'day';
  timeZone: string;
  assets: readonly number[] | null;
  places: readonly number[] | null;
  withDescendants: boolean;
  includeDeleted: boolean;
}

export interface Group {
  /** In milliseconds, as the others. */
  total: number;
  mean: number;
  median: number;
  p90: number;
  max: number;
  stays: number;
  assets: number;
}

/** No clock is set, and no day begins, at another time than this. */
const STEP = 15 * 60_000_000;

/**
 * Groups of dwell as the contract says it, step by step and without a thought for cost, by the name of the group: the number
 * of a place or an asset, a date, `unseen`, or `deleted`.
 */
export function dwellByDefinition(past: Past, { from, to }: Window, asked: Asked): Map<string, Group> {
  const values = new Map<string, { took: number; asset: number }[]>();
  for (const [asset, { deletedAt, transitions }] of past.assets.entries()) {
    if (asked.assets !== null && !asked.assets.includes(asset)) {
      continue;
    }
    const end = Math.min(to, deletedAt ?? to);
    const stays = [{ at: Number.NEGATIVE_INFINITY, place: null }, ...transitions].map(
      ({ at, place }, index) => ({
        place,
        since: Math.max(from, at),
        until: Math.min(end, transitions[index]?.at ?? end),
      }),
    );
    const isDeleted = deletedAt !== null && deletedAt <= to;
    for (const { place, since, until } of stays) {
      const tookByGroup = new Map<string, number>();
      for (const [start, stop] of cutAt(since, until, past)) {
        if (isAsked(past, place, start, asked)) {
          const group =
            place === null
              ? 'unseen'
              : {
                  location: () => `${place}`,
                  asset: () => (isDeleted && !asked.includeDeleted ? 'deleted' : `${asset}`),
                  day: () => dateIn(asked.timeZone, start),
                }[asked.groupBy]();
          const took = Math.floor(stop / 1_000) - Math.floor(start / 1_000);
          tookByGroup.set(group, (tookByGroup.get(group) ?? 0) + took);
        }
      }
      for (const [group, took] of tookByGroup) {
        values.set(group, [...(values.get(group) ?? []), { took, asset }]);
      }
    }
  }
  return new Map([...values].map(([group, each]) => [group, summedUp(each)]));
}

/** The parts between whole quarters of an hour and instants at which anything happens. */
function cutAt(since: Micros, until: Micros, { instants }: Past): [Micros, Micros][] {
  const cuts = new Set([since, ...instants.filter((at) => at > since && at < until)]);
  for (let at = Math.ceil(since / STEP) * STEP; at < until; at += STEP) {
    cuts.add(at);
  }
  const sorted = [...cuts].sort((a, b) => a - b);
  return since >= until ? [] : sorted.map((at, index) => [at, sorted[index + 1] ?? until]);
}

function isAsked(past: Past, place: number | null, at: Micros, { places, withDescendants }: Asked): boolean {
  if (places === null) {
    return true;
  }
  return place !== null && (withDescendants ? isWithin(past, place, places, at) : places.includes(place));
}

function dateIn(timeZone: string, at: Micros): string {
  return new Date(at / 1_000).toLocaleDateString('sv-SE', { timeZone });
}

function summedUp(values: readonly { took: number; asset: number }[]): Group {
  const sorted = values.map(({ took }) => took).sort((a, b) => a - b);
  const total = sorted.reduce((sum, took) => sum + took, 0);
  return {
    total,
    mean: total / sorted.length,
    median: percentile(sorted, 0.5),
    p90: percentile(sorted, 0.9),
    max: sorted.at(-1) ?? 0,
    stays: sorted.length,
    assets: new Set(values.map(({ asset }) => asset)).size,
  };
}

export function percentile(sorted: readonly number[], share: number): number {
  const at = share * (sorted.length - 1);
  const [below = 0, above = 0] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return below + (above - below) * (at - Math.floor(at));
}
