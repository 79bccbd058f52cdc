/**
 * The longest that the event loop of this process was held while `work` went on, in milliseconds of this thread's
 * processor time, so that what others do with the processor does not count; the least of a few attempts.
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
  let last = threadTime();
  let isOver = false;
  const turn = () => {
    const now = threadTime();
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

/** The least processor time that `work` takes, in milliseconds. */
export function timeOf(work: () => unknown, attempts = 5): number {
  const times = Array.from({ length: attempts }, () => {
    const start = threadTime();
    work();
    return threadTime() - start;
  });
  return Math.min(...times);
}

/** The least processor time that this thread has while `work` goes on, in milliseconds; of a few attempts. */
export async function timeDuring(work: () => Promise<unknown>, attempts = 5): Promise<number> {
  const times: number[] = [];
  for (let attempt = 0; attempt < attempts; attempt++) {
    const start = threadTime();
    await work();
    times.push(threadTime() - start);
  }
  return Math.min(...times);
}

/** Milliseconds of processor time that this thread has had. */
function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
