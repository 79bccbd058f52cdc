import type { Micros } from '../base/instant.ts';

/** Events, earliest first: a binary heap. */
export class EventQueue<Subject> {
  readonly #heap: { at: Micros; subject: Subject }[] = [];

  add(at: Micros, subject: Subject): void {
    const heap = this.#heap;
    let index = heap.push({ at, subject }) - 1;
    while (index > 0) {
      const above = (index - 1) >> 1;
      if (this.#at(above) <= this.#at(index)) {
        return;
      }
      this.#swap(above, index);
      index = above;
    }
  }

  /** The next event up to `until`, or nothing. */
  next(until: Micros): { at: Micros; subject: Subject } | null {
    const heap = this.#heap;
    const [first] = heap;
    if (first === undefined || first.at > until) {
      return null;
    }
    const last = heap.pop();
    if (last !== undefined && heap.length > 0) {
      heap[0] = last;
      this.#sink();
    }
    return first;
  }

  #sink(): void {
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const least = this.#at(left + 1) < this.#at(left) ? left + 1 : left;
      if (this.#at(least) >= this.#at(index)) {
        return;
      }
      this.#swap(least, index);
      index = least;
    }
  }

  /** Infinite beyond the end. */
  #at(index: number): Micros {
    return this.#heap[index]?.at ?? Number.POSITIVE_INFINITY;
  }

  #swap(a: number, b: number): void {
    const [inA, inB] = [this.#heap[a], this.#heap[b]];
    if (inA !== undefined && inB !== undefined) {
      this.#heap[a] = inB;
      this.#heap[b] = inA;
    }
  }
}
