import type { Micros } from '../../base/instant.ts';
import { Course, inOrder, type Seen } from './course.ts';

export type Doubt = 'unacknowledged' | 'order';

export class AssetTruth {
  readonly #rank: (location: string) => number;
  #settled = new Course();
  /** Reads that a future one could precede. */
  #recent: Seen[] = [];
  #isUnacknowledged = false;

  constructor(rank: (location: string) => number) {
    this.#rank = rank;
  }

  add(seen: Seen): void {
    this.#recent.push(seen);
  }

  /** Call when it is unknown whether a read arrived. */
  doubt(): void {
    this.#isUnacknowledged = true;
  }

  /** Releases reads that no future one can precede. */
  settle(before: Micros): void {
    const isOld = ({ latest }: Seen) => latest < before;
    for (const seen of inOrder(this.#recent.filter(isOld), this.#rank)) {
      this.#settled.add(seen);
    }
    this.#recent = this.#recent.filter((seen) => !isOld(seen));
  }

  /** Nothing can be added afterwards. */
  conclude(): { course: Course; doubt: Doubt | null } {
    this.settle(Number.POSITIVE_INFINITY);
    const course = this.#settled;
    const order = course.isDecided ? null : 'order';
    return { course, doubt: this.#isUnacknowledged ? 'unacknowledged' : order };
  }
}
