import { readFileSync } from 'node:fs';

/**
 * Bound for sockets of one kind: `most`, or the given share of this process's file descriptors if that is
 * less. The shares of all listeners add up to nine tenths, which leaves descriptors for the database and
 * files under any load.
 */
export function socketLimit(most: number, share: number): number {
  return Math.max(1, Math.min(most, Math.floor(descriptorLimit() * share)));
}

/** Node.js raises its soft limit to the hard one at its start. */
function descriptorLimit(): number {
  try {
    const [, soft] =
      /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft ?? ASSUMED);
  } catch {
    return ASSUMED;
  }
}

/** If the system does not say: the default of macOS, in hundreds. */
const ASSUMED = 10_000;
