/**
 * Results that may be slightly old, shared by everyone who asks: one read at a time, and at most one per
 * `milliseconds`.
 */
export class RecentReads<Key, Result> {
  readonly #milliseconds: number;
  readonly #recent = new Map<Key, Promise<Result>>();

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** @param read must be the same for the same key. Callers who wait share a failure, which is not kept. */
  read(key: Key, read: () => Promise<Result>): Promise<Result> {
    const known = this.#recent.get(key);
    if (known !== undefined) {
      return known;
    }
    const result = read();
    this.#recent.set(key, result);
    result.then(
      () => setTimeout(() => this.#recent.delete(key), this.#milliseconds).unref(),
      () => this.#recent.delete(key),
    );
    return result;
  }
}
