/** What is put away together. */
const GROUP = 500;

/**
 * Values that are put away until later: as the JSON of a group each, outside of the heap. As objects, what 720,000 tags
 * need would be four times as much (10 MiB of tags: 480 to 533 MB of the process, and 230 like this).
 */
export class Packed<Value> {
  readonly #groups: Buffer[] = [];
  #last: Value[] = [];

  /** @param value of strings, numbers, arrays and plain objects only. */
  add(value: Value): void {
    this.#last.push(value);
    if (this.#last.length === GROUP) {
      this.#close();
    }
  }

  /** In the order in which they were added; each group once. */
  *groups(): Generator<Value[], void> {
    this.#close();
    for (let group = this.#groups.shift(); group !== undefined; group = this.#groups.shift()) {
      yield JSON.parse(group.toString()) as Value[];
    }
  }

  #close(): void {
    if (this.#last.length > 0) {
      this.#groups.push(Buffer.from(JSON.stringify(this.#last)));
      this.#last = [];
    }
  }
}
