import { language } from '../../texts/texts.ts';

/** Milliseconds since 1970. */
export interface Range {
  from: number;
  to: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 14, 30, 90, 180, 365, 730, 1_825].map((count) => count * DAY),
];

/** Marks of a range at round local times, with their labels. */
export function ticksOf({ from, to }: Range, most: number): { at: number; text: string }[] {
  const step = STEPS.find((each) => (to - from) / each <= most) ?? (STEPS.at(-1) as number);
  const offset = new Date(from).getTimezoneOffset() * MINUTE;
  const first = Math.ceil((from - offset) / step) * step + offset;
  const ticks: { at: number; text: string }[] = [];
  for (let at = first; at <= to; at += step) {
    ticks.push({ at, text: textOf(at, step) });
  }
  return ticks;
}

function textOf(at: number, step: number): string {
  const date = new Date(at);
  const isMidnight = date.getHours() === 0 && date.getMinutes() === 0 && date.getSeconds() === 0;
  if (step >= 365 * DAY) {
    return date.toLocaleDateString(language.value, { month: 'short', year: 'numeric' });
  }
  if (step >= DAY || isMidnight) {
    return date.toLocaleDateString(language.value, { day: 'numeric', month: 'short' });
  }
  return date.toLocaleTimeString(language.value, {
    hour: '2-digit',
    minute: '2-digit',
    ...(step < MINUTE ? { second: '2-digit' } : {}),
    hourCycle: 'h23',
  });
}
