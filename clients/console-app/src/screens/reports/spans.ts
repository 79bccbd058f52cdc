import type { Range } from '../../parts/timeline/ticks.ts';

const DAY = 86_400_000;

/** Windows by name, in the order in which they are offered; days begin in the viewer's zone. */
export const SPANS = ['today', 'yesterday', 'days7', 'days30', 'thisMonth', 'lastMonth'] as const;

export type Span = (typeof SPANS)[number];

export function rangeOf(span: Span, now: number): Range {
  const [thisMonth, lastMonth] = [firstOfMonth(now, 0), firstOfMonth(now, -1)];
  return {
    today: { from: dayBefore(now, 0), to: now },
    yesterday: { from: dayBefore(now, 1), to: dayBefore(now, 0) },
    days7: { from: now - 7 * DAY, to: now },
    days30: { from: now - 30 * DAY, to: now },
    thisMonth: { from: thisMonth, to: now },
    lastMonth: { from: lastMonth, to: thisMonth },
  }[span];
}

/** Days may have 23 or 25 hours. */
function dayBefore(at: number, days: number): number {
  const date = new Date(at);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - days).getTime();
}

function firstOfMonth(at: number, months: number): number {
  const date = new Date(at);
  return new Date(date.getFullYear(), date.getMonth() + months, 1).getTime();
}
