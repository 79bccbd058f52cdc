import { expensiveTurns } from '../../../base/expensive-turns.ts';
import { FairSemaphore } from '../../../base/fair-semaphore.ts';
import { Problem } from '../../../platform/http/problem.ts';

export const WRITE_CONNECTIONS = 4;

/** Submissions of up to 1 MiB that may wait or be under way, in all and per organization. */
const MAX_HELD = 100;
export const MAX_HELD_BY_ORGANIZATION = 50;

/** Above this total, an organization has only a few places: two that send as much as they may leave room for others. */
const CROWDED = 75;
const FEW = 5;

/** Scans: recording a thousand of unknown tags keeps the database busy for some 20 ms. */
const LARGE = 200;

/** Milliseconds to wait for a turn. */
const PATIENCE = 20_000;

const waiting = { waitingPerKey: MAX_HELD, patience: PATIENCE, refusal: tooMany };

/**
 * Turns of submissions. No organization may use all connections, so others' scans need not wait; and it has
 * one large submission under way at a time, so that its own handhelds do not wait for it, nor others for the
 * processor.
 */
export class SubmissionTurns {
  readonly #all = new FairSemaphore<number>({
    ...waiting,
    total: WRITE_CONNECTIONS,
    perKey: 2,
    perKeyWithRoom: WRITE_CONNECTIONS - 1,
  });
  readonly #large = new FairSemaphore<number>({ ...waiting, total: 2, perKey: 1, perKeyWithRoom: 1 });
  readonly #largeHeld: number[] = [];

  /** @throws Problem `unavailable` if too many wait, or the turn does not come in time. */
  async run<Result>(orgId: number, scans: number, work: () => Promise<Result>): Promise<Result> {
    const all = this.#held();
    const most = all < CROWDED ? MAX_HELD_BY_ORGANIZATION : FEW;
    if (all >= MAX_HELD || this.#held(orgId) >= most) {
      throw tooMany();
    }
    const inTurn = () => this.#all.run(orgId, work);
    if (scans <= LARGE) {
      return inTurn();
    }
    const asLarge = () => this.#large.run(orgId, inTurn);
    this.#largeHeld.push(orgId);
    try {
      return await expensiveTurns.run(orgId, 'submission', asLarge, waiting);
    } finally {
      this.#largeHeld.splice(this.#largeHeld.indexOf(orgId), 1);
    }
  }

  /** Held by an organization, or by all. A large one in `#all` counts twice: at most one per organization. */
  #held(orgId?: number): number {
    const large = this.#largeHeld.filter((each) => orgId === undefined || each === orgId).length;
    return this.#all.running(orgId) + this.#all.waiting(orgId) + large;
  }
}

function tooMany(): Problem {
  return new Problem('unavailable', 'Too many submissions at once; try again in a moment', {
    headers: { 'Retry-After': '1' },
  });
}
