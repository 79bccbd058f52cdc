/** So much of a millisecond's use is forgotten each millisecond: a quarter of one place is never much. */
const FORGOTTEN = 0.25;

/** Milliseconds of use beyond that which count as much, and which are remembered at most. */
export const MUCH = 2_000;
const MOST = 15_000;

/** Keys beyond which those without recent use are dropped. */
const MANY = 1_000;

/** How long each key used something of late: a leaky bucket for each, kept as the time at which it will be empty. */
export class RecentUse<Key> {
  readonly #emptyAt = new Map<Key, number>();

  add(key: Key, ms: number): void {
    const now = performance.now();
    const left = Math.max(0, (this.#emptyAt.get(key) ?? now) - now) + ms / FORGOTTEN;
    this.#emptyAt.set(key, now + Math.min(left, MOST / FORGOTTEN));
    if (this.#emptyAt.size > MANY) {
      this.#dropEmpty(now);
    }
  }

  isMuch(key: Key): boolean {
    const emptyAt = this.#emptyAt.get(key);
    return emptyAt !== undefined && (emptyAt - performance.now()) * FORGOTTEN > MUCH;
  }

  #dropEmpty(now: number): void {
    for (const [key, emptyAt] of this.#emptyAt) {
      if (emptyAt <= now) {
        this.#emptyAt.delete(key);
      }
    }
  }
}
