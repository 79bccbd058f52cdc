/** Keys of a file by line; faulty rows included, if they have one. */
export class FileKeys {
  readonly #lines = new Map<string, number>();

  /** @returns the line that has the key already; undefined if this is the first. */
  note(externalKey: string, line: number): number | undefined {
    const earlier = this.#lines.get(externalKey);
    if (earlier === undefined) {
      this.#lines.set(externalKey, line);
    }
    return earlier;
  }

  has(externalKey: string): boolean {
    return this.#lines.has(externalKey);
  }
}
