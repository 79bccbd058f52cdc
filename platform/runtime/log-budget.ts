/**
 * Rate-limits log lines per subject, so that a caller or reader in a loop does not fill a disk. The next line
 * gives the number dropped.
 */
export class LogBudget {
  readonly #lines: number;
  readonly #now: () => number;
  readonly #spent = new Map<string, { since: number; written: number; leftOut: number }>();
  #sweptAt = Number.NEGATIVE_INFINITY;

  /**
   * @param lines per minute and subject.
   * @param now milliseconds on a monotonic clock.
   */
  constructor(lines: number, now: () => number = () => performance.now()) {
    this.#lines = lines;
    this.#now = now;
  }

  /** @returns how many lines were dropped before this one; null to drop this one too. */
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

  /** @returns the subject, or the shared one if there are too many. */
  #makeRoom(subject: string): string {
    const now = this.#now();
    if (now - this.#sweptAt >= SECOND) {
      this.#sweptAt = now;
      for (const [name, { since }] of this.#spent) {
        if (now - since >= MINUTE) {
          this.#spent.delete(name);
        }
      }
    }
    return this.#spent.size < MOST_SUBJECTS ? subject : OTHERS;
  }
}

const SECOND = 1_000;
const MINUTE = 60_000;
const MOST_SUBJECTS = 1_000;
const OTHERS = '';
