import { leastOf } from '../../../base/extremes.ts';
import { BackOff } from './back-off.ts';

/** Milliseconds between attempts to subscribe to a refused topic. */
const ASK_AGAIN = { first: 2_000, longest: 60_000 };

export class RefusedSubscriptions {
  readonly #topics = new Map<string, { backOff: BackOff; until: number }>();

  get size(): number {
    return this.#topics.size;
  }

  /** @returns the milliseconds until the next attempt. */
  add(topic: string): number {
    const backOff = this.#topics.get(topic)?.backOff ?? new BackOff(ASK_AGAIN);
    const pause = backOff.next();
    this.#topics.set(topic, { backOff, until: performance.now() + pause });
    return pause;
  }

  delete(topic: string): void {
    this.#topics.delete(topic);
  }

  keepOnly(wanted: ReadonlySet<string>): void {
    for (const topic of this.#topics.keys()) {
      if (!wanted.has(topic)) {
        this.#topics.delete(topic);
      }
    }
  }

  isDue(topic: string): boolean {
    return (this.#topics.get(topic)?.until ?? 0) <= performance.now();
  }

  /** Milliseconds until the next is due; null without any. */
  untilDue(): number | null {
    if (this.#topics.size === 0) {
      return null;
    }
    const next = leastOf([...this.#topics.values()].map(({ until }) => until));
    return Math.max(0, next - performance.now()) + 1;
  }
}
