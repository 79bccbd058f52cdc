import { LONGEST_LIMIT_MS, SHORTEST_LIMIT_MS } from './rhythm.ts';

/** Until the scanner is known: Bluetooth rarely pauses longer, and wired scanners need less. */
export const FIRST_LIMIT_MS = 130;
/** Scans that the limit is learned from: a replaced scanner is learned after as many. */
const REMEMBERED = 20;
const ALLOWANCE = 1.5;

/** Longest allowed pause within a scan, by the longest pauses of the last ones; milliseconds. */
export function limitAfter(slowest: readonly number[]): number {
  const first = slowest.length < REMEMBERED ? FIRST_LIMIT_MS : 0;
  const limit = Math.max(first, ALLOWANCE * Math.max(0, ...slowest));
  return Math.round(Math.min(LONGEST_LIMIT_MS, Math.max(SHORTEST_LIMIT_MS, limit)));
}

export function withOneMore(slowest: readonly number[], next: number): number[] {
  return [...slowest, next].slice(-REMEMBERED);
}
