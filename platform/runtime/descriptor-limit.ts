import { readFileSync } from 'node:fs';

/**
 * How many sockets of one kind may be open: `most`, or the given share of the files this process may have open, if that
 * is less. Shares of all listeners of a process (see who calls this) come to nine tenths, so that connections to the
 * database and files can be opened whatever strangers do.
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

/** Where the system does not tell: what macOS gives a process by default, in hundreds. */
const ASSUMED = 10_000;
