import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { DueTimes } from './due-times.ts';

/** An asset must be read, or a rule comes true. */
export interface ExpectedRead {
  /** A read before that puts it off. */
  by: Micros;
  /** For at least this long from then on. */
  within: Micros;
}

/** How long in advance reads are looked up: an asset that is read all the time may be read later than that. */
const AHEAD: Micros = 5 * MICROS_PER_SECOND;

/**
 * Assets that become overdue unless they are read before. Most are read, so their last read is looked up first, and
 * they are postponed from there.
 */
export class ExpectedReads {
  readonly #expected = new Map<number, ExpectedRead>();
  readonly #due = new DueTimes();

  /** @param until the end of the last look: reads expected by then have still to be checked. */
  set(assetId: number, expected: ExpectedRead | null, until: Micros): void {
    const before = this.#expected.get(assetId);
    if (before !== undefined && before.by <= until) {
      const within = Math.min(before.within, expected?.within ?? Number.POSITIVE_INFINITY);
      this.#expected.set(assetId, { by: before.by, within });
    } else if (expected === null) {
      this.#expected.delete(assetId);
    } else {
      this.#expect(assetId, expected, until);
    }
  }

  /** Expects a read by then at the latest. */
  add(assetId: number, { by, within }: ExpectedRead, now: Micros): void {
    const before = this.#expected.get(assetId);
    if (before === undefined || by < before.by || within < before.within) {
      const least = before ?? { by, within };
      this.#expect(assetId, { by: Math.min(least.by, by), within: Math.min(least.within, within) }, now);
    }
  }

  /**
   * Postpones a taken asset if it was read in time.
   *
   * @param lastSeen null if it was never read.
   * @returns the instant from which to look at it; null if it was postponed.
   */
  answer(
    { id, by, within }: { id: number } & ExpectedRead,
    lastSeen: Micros | null,
    now: Micros,
  ): Micros | null {
    // The earlier reads of later ones are unknown here.
    const next = lastSeen !== null && lastSeen < by ? Math.max(by, lastSeen + within) : by;
    if (next <= now) {
      return next;
    }
    this.add(id, { by: next, within }, now);
    return null;
  }

  /** Takes those to ask about. */
  take(now: Micros, most: number): ({ id: number } & ExpectedRead)[] {
    return this.#due.take(now, most).flatMap(({ id }) => {
      const expected = this.#expected.get(id);
      this.#expected.delete(id);
      return expected === undefined ? [] : [{ id, ...expected }];
    });
  }

  isDue(now: Micros): boolean {
    return this.#due.isDue(now);
  }

  /** A lower bound for the first expected read. */
  get earliest(): Micros {
    return this.#due.earliest;
  }

  #expect(assetId: number, expected: ExpectedRead, now: Micros): void {
    this.#expected.set(assetId, expected);
    const ahead = expected.by - Math.min(AHEAD, expected.within / 4);
    this.#due.add(assetId, ahead > now ? ahead : expected.by);
  }
}
