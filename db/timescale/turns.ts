/**
 * Lets each of many who share something do so much at a time; who wants more waits for a turn, in the order of coming.
 * So whoever is held up holds up nobody else.
 */
export class Turns<Who> {
  readonly #most: number;
  readonly #lines = new Map<Who, { underWay: number; waiting: (() => void)[] }>();

  /** @param most how much of one is under way at a time. */
  constructor(most: number) {
    this.#most = most;
  }

  async take<Result>(who: Who, work: () => Promise<Result>): Promise<Result> {
    const line = this.#lines.get(who) ?? { underWay: 0, waiting: [] };
    this.#lines.set(who, line);
    if (line.underWay === this.#most) {
      // Whoever ends leaves its place.
      await new Promise<void>((resolve) => line.waiting.push(resolve));
    } else {
      line.underWay += 1;
    }
    try {
      return await work();
    } finally {
      const next = line.waiting.shift();
      if (next !== undefined) {
        next();
      } else {
        line.underWay -= 1;
        if (line.underWay === 0) {
          this.#lines.delete(who);
        }
      }
    }
  }
}
