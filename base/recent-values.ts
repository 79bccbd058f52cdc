/** Remembers what was computed of late, for texts that come again and again: up to twice `most` of them. */
export class RecentValues {
  readonly #compute: (text: string) => string;
  readonly #most: number;
  #recent = new Map<string, string>();
  #before = new Map<string, string>();

  constructor(most: number, compute: (text: string) => string) {
    this.#most = most;
    this.#compute = compute;
  }

  of(text: string): string {
    const known = this.#recent.get(text);
    if (known !== undefined) {
      return known;
    }
    const value = this.#before.get(text) ?? this.#compute(text);
    if (this.#recent.size >= this.#most) {
      this.#before = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(text, value);
    return value;
  }
}
