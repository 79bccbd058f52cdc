/**
 * Bounds how many lines are logged about one subject, so that a caller or a reader in a loop does not fill a disk. How
 * many were left out is told with the next line.
 */
export class LogBudget {
  readonly #lines: number;
  readonly #now: () => number;
  readonly #spent = new Map<string, { since: number; written: number; leftOut: number }>();

  /**
   * @param lines a minute about each subject.
   * @param now milliseconds on a clock that never goes back.
   */
  constructor(lines: number, now: () => number = () => performance.now()) {
    this.#lines = lines;
    this.#now = now;
  }

  /** @returns how many lines about the subject were left out before this one; null if this one is to be left out too. */
  take(subject: string): number | null {
    const name =
      this.#spent.has(subject) || this.#spent.size < MOST_SUBJECTS ? subject : this.#makeRoom(subject);
    const spent = this.#spent.get(name);
    const now = this.#now();
    if (spent === undefined || now - spent.since >= MINUTE) {
      this.#spent.set(name, { since: now, written: 1, leftOut: 0 });
      return spent?.leftOut ?? 0;
    }
    if (spent.written < this.#lines) {
      spent.written += 1;
      return 0;
    }
    spent.leftOut += 1;
    return null;
  }

  /** @returns what the subject is counted as: itself, or one of too many. */
  #makeRoom(subject: string): string {
    const now = this.#now();
    for (const [name, { since }] of this.#spent) {
      if (now - since >= MINUTE) {
        this.#spent.delete(name);
      }
    }
    return this.#spent.size < MOST_SUBJECTS ? subject : OTHERS;
  }
}

const MINUTE = 60_000;
const MOST_SUBJECTS = 1_000;
const OTHERS = '';
