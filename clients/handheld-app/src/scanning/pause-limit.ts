import { LONGEST_LIMIT_MS, SHORTEST_LIMIT_MS } from './rhythm.ts';

/** Until the scanner is known: Bluetooth's pauses are seldom longer, and a cable's scanner does not need it. */
export const FIRST_LIMIT_MS = 130;
/** As many scans as the limit goes by: a scanner that is changed for another is learned after as many. */
const REMEMBERED = 20;
const ALLOWANCE = 1.5;

/** The longest pause within a scan by the longest ones of the last scans, in milliseconds. */
export function limitAfter(slowest: readonly number[]): number {
  const first = slowest.length < REMEMBERED ? FIRST_LIMIT_MS : 0;
  const limit = Math.max(first, ALLOWANCE * Math.max(0, ...slowest));
  return Math.round(Math.min(LONGEST_LIMIT_MS, Math.max(SHORTEST_LIMIT_MS, limit)));
}

export function withOneMore(slowest: readonly number[], next: number): number[] {
  return [...slowest, next].slice(-REMEMBERED);
}
