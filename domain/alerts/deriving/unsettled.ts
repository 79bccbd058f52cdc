import type { Micros } from '../../../base/instant.ts';
import type { Interval } from '../../presence/intervals.ts';

/**
 * What is known of the time after a window: clocks of devices may be two minutes ahead, and of the last second not all is
 * committed. It waits here, and not among what is due, where something sooner takes its place: a look at that one still ends
 * too early to see it.
 */
export class Unsettled<Dated extends Interval> {
  #waiting: { dated: Dated; at: Micros }[] = [];

  /** Keeps what reaches beyond `now`: first until that has begun, then until all of it is over. */
  keep(dated: Dated, now: Micros): void {
    if (dated.until >= now) {
      const at = dated.since >= now ? dated.since : dated.until;
      this.#waiting.push({ dated: { ...dated, since: Math.max(dated.since, now) }, at });
    }
  }

  /** Takes what has begun, or is over, by now; what is not over is to be kept again. */
  take(now: Micros, most: number): Dated[] {
    if (!this.isDue(now)) {
      return [];
    }
    const taken: Dated[] = [];
    this.#waiting = this.#waiting.filter(({ dated, at }) => {
      const isTaken = at < now && taken.length < most;
      if (isTaken) {
        taken.push(dated);
      }
      return !isTaken;
    });
    return taken;
  }

  isDue(now: Micros): boolean {
    return this.#waiting.some(({ at }) => at < now);
  }

  /** Nothing that waits is of before. */
  get earliest(): Micros {
    return this.#waiting.reduce((least, { dated }) => Math.min(least, dated.since), Number.POSITIVE_INFINITY);
  }
}
