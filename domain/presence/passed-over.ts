import { messageOf } from '../../base/errors.ts';

/** Milliseconds until an organization is tried again; doubled after each failure. */
const AGAIN = { first: 5_000, longest: 300_000 };

/** Characters. */
const LONGEST_REASON = 1_000;

interface Failing {
  /** When it is tried again; milliseconds of `performance.now()`. */
  at: number;
  pause: number;
}

/** Organizations that a deriver passes over for a while, because work for them failed. */
export class PassedOver {
  readonly #failing = new Map<number, Failing>();

  /** Retries a failure stored by an earlier process at once. */
  know(orgId: number): void {
    this.#failing.set(orgId, { at: 0, pause: 0 });
  }

  failed(orgId: number, now: number): void {
    const pause = Math.min(AGAIN.longest, Math.max(AGAIN.first, 2 * (this.#failing.get(orgId)?.pause ?? 0)));
    this.#failing.set(orgId, { at: now + pause, pause });
  }

  /** @returns false if it did not fail. */
  succeeded(orgId: number): boolean {
    return this.#failing.delete(orgId);
  }

  isPassedOver(orgId: number, now: number): boolean {
    return (this.#failing.get(orgId)?.at ?? 0) > now;
  }

  /** Those to retry, the longest due first. */
  due(now: number): number[] {
    const due = [...this.#failing].filter(([, { at }]) => at <= now);
    return due.sort(([, a], [, b]) => a.at - b.at).map(([orgId]) => orgId);
  }

  /**
   * How much to retry at once, because it may have been too much: `first` after one failure, half of that after each
   * further one.
   */
  share(orgId: number, { first, least, all }: { first: number; least: number; all: number }): number {
    const { pause } = this.#failing.get(orgId) ?? { pause: 0 };
    return pause === 0 ? all : Math.max(least, Math.floor((first * AGAIN.first) / pause));
  }
}

/** As stored for `doctor`. */
export function reasonOf(error: unknown): string {
  return messageOf(error).slice(0, LONGEST_REASON);
}
