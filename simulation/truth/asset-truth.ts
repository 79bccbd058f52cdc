import type { Micros } from '../../base/instant.ts';
import { Course, inOrder, type Seen } from './course.ts';

/** Why the truth of an asset is not known to the end. */
export type Doubt = 'unacknowledged' | 'order';

/** What is true of one asset, from its reads in whatever order they are heard of. */
export class AssetTruth {
  readonly #rank: (location: string) => number;
  #settled = new Course();
  /** What a read that is still to come could go before. */
  #recent: Seen[] = [];
  #isUnacknowledged = false;

  constructor(rank: (location: string) => number) {
    this.#rank = rank;
  }

  add(seen: Seen): void {
    this.#recent.push(seen);
  }

  /** A read of it was sent, and nobody knows whether it arrived. */
  doubt(): void {
    this.#isUnacknowledged = true;
  }

  /** Lets go of what no read that is still to come can go before. */
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
