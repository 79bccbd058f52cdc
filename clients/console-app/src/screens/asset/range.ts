import type { Stays } from '../../api/types.ts';
import type { Range } from '../../parts/timeline/ticks.ts';
import { address, hrefWith, replaceAddress } from '../../router/router.ts';

const HOUR = 3_600_000;

export const SPANS = { hour: HOUR, day: 24 * HOUR, week: 7 * 24 * HOUR, month: 30 * 24 * HOUR } as const;

/** A second is seen as such. */
const NARROWEST = 2_000;
const WIDEST = 20 * 365 * 24 * HOUR;

/** The range that the address names; null without one. */
export function rangeInAddress(): Range | null {
  const { query } = address.value;
  const [from, to] = [Date.parse(query.get('from') ?? ''), Date.parse(query.get('to') ?? '')];
  return Number.isFinite(from) && Number.isFinite(to) && from < to ? { from, to } : null;
}

/** Everything, if it spans a week or less; else its last week. */
export function usualRange({ first_seen, last_seen }: Stays, now: number): Range {
  const first = first_seen === null ? now - SPANS.day : Date.parse(first_seen);
  const last = Math.max(last_seen === null ? now : Date.parse(last_seen), first);
  const isRecent = now - last < SPANS.day;
  const to = isRecent ? now : last + HOUR;
  return { from: Math.min(to - 60_000, Math.max(first, to - SPANS.week)), to };
}

export function showRange({ from, to }: Range): void {
  replaceAddress(hrefWith({ from: new Date(from).toISOString(), to: new Date(to).toISOString() }));
}

/** @param by below 1 shows less. @param at what stays where it is, from 0 to 1. */
export function zoomed({ from, to }: Range, by: number, at = 0.5): Range {
  const width = Math.max(NARROWEST, Math.min(WIDEST, (to - from) * by));
  const pivot = from + (to - from) * at;
  return { from: pivot - width * at, to: pivot + width * (1 - at) };
}

export function shifted({ from, to }: Range, by: number): Range {
  const distance = (to - from) * by;
  return { from: from + distance, to: to + distance };
}
