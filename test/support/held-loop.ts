/**
 * The longest that the event loop of this process was held while `work` went on, in milliseconds of this thread's
 * processor time, so that what others do with the processor does not count; the least of so many attempts.
 */
export async function longestHold(work: () => Promise<unknown>, attempts: number): Promise<number> {
  const holds: number[] = [];
  for (let attempt = 0; attempt < attempts; attempt++) {
    holds.push(await holdOf(work));
  }
  return Math.min(...holds);
}

/** By a timer: looking at every turn of the loop would take the processor from the threads that it waits for. */
async function holdOf(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = threadTime();
  const look = () => {
    const now = threadTime();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, 1);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  look();
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

/** The processor time that this thread has while `work` goes on, in milliseconds; the mean of so many attempts. */
export async function timeDuring(work: () => Promise<unknown>, attempts = 5): Promise<number> {
  const start = threadTime();
  for (let attempt = 0; attempt < attempts; attempt++) {
    await work();
  }
  return (threadTime() - start) / attempts;
}

/** As `timeOf`, for work of less than some ticks of that clock: of `many` together, divided. */
export function meanTimeOf(work: () => unknown, many: number): number {
  const workMany = () => {
    for (let done = 0; done < many; done++) {
      work();
    }
  };
  return timeOf(workMany, 3) / many;
}

/**
 * Tells whether something takes longer than parsing a text does. Few things need a second look, and then the text is parsed
 * beside them; at first they are held against the least that it ever took, for which nothing passes that should not.
 */
export class Yardstick {
  readonly #parse: () => unknown;
  #least = Number.POSITIVE_INFINITY;

  constructor(text: string) {
    this.#parse = () => JSON.parse(text);
  }

  /**
   * @param measured the least of so many attempts, in milliseconds of processor time.
   * @param times so many times the yardstick.
   */
  async isExceededBy(measured: (attempts: number) => number | Promise<number>, times = 1): Promise<boolean> {
    if (this.#least === Number.POSITIVE_INFINITY) {
      this.#least = meanTimeOf(this.#parse, 4);
    }
    if ((await measured(1)) <= times * this.#least) {
      return false;
    }
    const again = await measured(5);
    const beside = meanTimeOf(this.#parse, 4);
    this.#least = Math.min(this.#least, beside);
    return again > times * beside;
  }
}

/** Milliseconds of processor time that this thread has had, which Linux counts in ticks of up to 10 ms. */
function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
