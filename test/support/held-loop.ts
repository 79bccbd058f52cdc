import { performance } from 'node:perf_hooks';

/**
 * The longest that the event loop of this process was held while `work` went on, in milliseconds. Others that share the
 * processor hold it too, so the least of a few attempts counts.
 */
export async function longestHold(work: () => Promise<unknown>, attempts = 3): Promise<number> {
  const holds: number[] = [];
  for (let attempt = 0; attempt < attempts; attempt++) {
    holds.push(await holdOf(work));
  }
  return Math.min(...holds);
}

async function holdOf(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  let isOver = false;
  const turn = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) {
      setImmediate(turn);
    }
  };
  setImmediate(turn);
  try {
    await work();
  } finally {
    isOver = true;
  }
  turn();
  return longest;
}

/** The least time that `work` takes, in milliseconds. */
export function timeOf(work: () => unknown, attempts = 5): number {
  const times = Array.from({ length: attempts }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return Math.min(...times);
}
