/**
 * Values by two keys, such as an organization and one of its assets. A string made of both would be made, and compared sign
 * by sign, at every look-up: recording did some ten for each read, and they were an eighth of what it left to the garbage
 * collector.
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

  /** Adds a pair that is not there yet. */
  add(first: First, second: Second, value: Value): void {
    const known = this.#bySecond.get(first);
    if (known === undefined) {
      this.#bySecond.set(first, new Map([[second, value]]));
    } else {
      known.set(second, value);
    }
    this.#values.push(value);
  }

  /** In the order in which they were added. */
  values(): readonly Value[] {
    return this.#values;
  }
}
