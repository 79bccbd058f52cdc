/** A queue whose first item is always the least; adding and removing one takes a number of steps that grows with the logarithm of their count. */
export class LeastFirst<Item> {
  readonly #compare: (one: Item, other: Item) => number;
  /** A binary heap: no item is less than the one above it. */
  readonly #items: Item[] = [];

  constructor(compare: (one: Item, other: Item) => number) {
    this.#compare = compare;
  }

  get first(): Item | undefined {
    return this.#items[0];
  }

  add(item: Item): void {
    let at = this.#items.length;
    this.#items.push(item);
    for (let above = (at - 1) >> 1; at > 0 && this.#isLess(at, above); above = (at - 1) >> 1) {
      this.#swap(at, above);
      at = above;
    }
  }

  removeFirst(): void {
    const last = this.#items.pop();
    if (last === undefined || this.#items.length === 0) {
      return;
    }
    this.#items[0] = last;
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const lesser = right < this.#items.length && this.#isLess(right, left) ? right : left;
      if (lesser >= this.#items.length || !this.#isLess(lesser, at)) {
        return;
      }
      this.#swap(at, lesser);
      at = lesser;
    }
  }

  #isLess(one: number, other: number): boolean {
    return this.#compare(this.#items[one] as Item, this.#items[other] as Item) < 0;
  }

  #swap(one: number, other: number): void {
    const item = this.#items[one] as Item;
    this.#items[one] = this.#items[other] as Item;
    this.#items[other] = item;
  }
}
