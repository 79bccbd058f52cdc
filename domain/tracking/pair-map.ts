/**
 * Values by two keys, such as an organization and one of its assets. A string of both would be built, and compared
 * character by character, at every look-up: recording built some ten for each read, an eighth of its garbage.
 */
export class PairMap<First, Second, Value> {
  readonly #bySecond = new Map<First, Map<Second, Value>>();
  readonly #values: Value[] = [];

  get(first: First, second: Second): Value | undefined {
    return this.#bySecond.get(first)?.get(second);
  }

  has(first: First, second: Second): boolean {
    return this.#bySecond.get(first)?.has(second) === true;
  }

  /** The pair must not be there yet. */
  add(first: First, second: Second, value: Value): void {
    const known = this.#bySecond.get(first);
    if (known === undefined) {
      this.#bySecond.set(first, new Map([[second, value]]));
    } else {
      known.set(second, value);
    }
    this.#values.push(value);
  }

  /** In the order of insertion. */
  values(): readonly Value[] {
    return this.#values;
  }
}
