import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';

export interface Due {
  id: number;
  at: Micros;
}

/**
 * When each of many has to be looked at next. Sorted by seconds, so that a turn visits only due ones. A due entry stays
 * until it is taken: an earlier look may have been too early for it.
 */
export class DueTimes {
  readonly #times = new Map<number, Micros>();
  readonly #seconds = new Map<number, Set<number>>();
  /** No earlier second has any. */
  #first = Number.POSITIVE_INFINITY;

  /** Makes it due at that instant, if it is not sooner. */
  add(id: number, at: Micros): void {
    if ((this.#times.get(id) ?? Number.POSITIVE_INFINITY) <= at) {
      return;
    }
    this.#forget(id);
    const second = secondOf(at);
    const others = this.#seconds.get(second);
    if (others === undefined) {
      this.#seconds.set(second, new Set([id]));
    } else {
      others.add(id);
    }
    this.#times.set(id, at);
    this.#first = Math.min(this.#first, second);
  }

  /** Takes the due ones, longest due first. */
  take(now: Micros, most: number): Due[] {
    const taken: Due[] = [];
    while (taken.length < most && this.#times.size > 0 && this.#first <= secondOf(now)) {
      for (const id of this.#seconds.get(this.#first) ?? []) {
        const at = this.#times.get(id) ?? 0;
        if (at <= now && taken.length < most) {
          taken.push({ id, at });
          this.#forget(id);
        }
      }
      if (this.#seconds.has(this.#first)) {
        break;
      }
      this.#first += 1;
    }
    return taken;
  }

  /** Whether any is left that is due. */
  isDue(now: Micros): boolean {
    while (this.#times.size > 0 && this.#first <= secondOf(now)) {
      const first = this.#seconds.get(this.#first);
      if (first !== undefined) {
        return first.values().some((id) => (this.#times.get(id) ?? 0) <= now);
      }
      this.#first += 1;
    }
    return false;
  }

  /** A lower bound for the first due time. */
  get earliest(): Micros {
    return this.#times.size === 0 ? Number.POSITIVE_INFINITY : this.#first * MICROS_PER_SECOND;
  }

  #forget(id: number): void {
    const at = this.#times.get(id);
    if (at === undefined) {
      return;
    }
    this.#times.delete(id);
    const second = secondOf(at);
    const others = this.#seconds.get(second);
    others?.delete(id);
    if (others?.size === 0) {
      this.#seconds.delete(second);
    }
  }
}

function secondOf(at: Micros): number {
  return Math.floor(at / MICROS_PER_SECOND);
}
