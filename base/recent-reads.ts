/**
 * Results that may be a little old, shared by all who ask meanwhile: however many do, there is one read at a time and one
 * in each stretch of `milliseconds`.
 */
export class RecentReads<Key, Result> {
  readonly #milliseconds: number;
  readonly #recent = new Map<Key, Promise<Result>>();

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** @param read of the same key always reads the same. A failure is shared by those who wait for it, and not kept. */
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
