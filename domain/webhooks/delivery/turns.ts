import { setTimeout as pause } from 'node:timers/promises';
import { FairSemaphore } from '../../../base/fair-semaphore.ts';

/** Lanes of a process that send at a time. */
const AT_ONCE = 512;

/** Of one organization. */
const OF_ORGANIZATION = 64;

/** Milliseconds after which a lane that still waits for its receiver gives up its turn. */
const SLOW = 1_500;

/** Further lanes, which wait for slow receivers: each holds a socket and the request. */
const MOST_SLOW = 2_048;

/** Of one organization. */
const SLOW_OF_ORGANIZATION = 128;

/**
 * Lanes of a process that read events at a time, one of an organization; a place is kept for organizations that read little.
 * 160 lanes limited to locations deep in a tree held all connections as long as there were events, and no other
 * webhook sent anything.
 */
const PICKS = 2;

/**
 * Fair turns to send: shared among organizations, then among the webhooks of each, those with fewest turns first. A
 * receiver that takes all of its 15 seconds keeps a turn for a tenth of that; slow lanes have bounds of their own,
 * apart from those whose receivers answer.
 */
export class Turns {
  readonly #organizations = new FairSemaphore<number>(bounds(AT_ONCE, OF_ORGANIZATION));
  readonly #webhooks = new Map<number, FairSemaphore<number>>();
  readonly #picks = new FairSemaphore<number>({ ...bounds(PICKS, 1), kept: 1 });
  readonly #ended = new AbortController();
  readonly #slow = new Map<number, number>();
  #slowOfAll = 0;

  /** Lanes that are sending, slow ones included. */
  get running(): number {
    return this.#organizations.running() + this.#slowOfAll;
  }

  /** @throws the signal's reason, if it ends the wait; what `work` throws. */
  async run(orgId: number, webhookId: number, work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    let working: Promise<void> = Promise.resolve();
    await this.#enter(
      orgId,
      webhookId,
      async () => {
        working = work();
        await this.#untilSlow(orgId, working);
      },
      signal,
    );
    await working;
  }

  /** @throws the reason of {@link end}; what `work` throws. */
  pick<Picked>(orgId: number, work: () => Promise<Picked>): Promise<Picked> {
    return this.#picks.run(orgId, work, this.#ended.signal);
  }

  /** Nothing more is read. */
  end(): void {
    this.#ended.abort();
  }

  async #enter(
    orgId: number,
    webhookId: number,
    work: () => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const webhooks = this.#webhooks.get(orgId) ?? new FairSemaphore(bounds(OF_ORGANIZATION, OF_ORGANIZATION));
    this.#webhooks.set(orgId, webhooks);
    try {
      await webhooks.run(webhookId, () => this.#organizations.run(orgId, work, signal), signal);
    } finally {
      if (webhooks.running() === 0 && webhooks.waiting() === 0 && this.#webhooks.get(orgId) === webhooks) {
        this.#webhooks.delete(orgId);
      }
    }
  }

  /** Resolves when the work is done, or when it is slow and there is room among the slow lanes. */
  async #untilSlow(orgId: number, working: Promise<void>): Promise<void> {
    const done = new AbortController();
    const ended = working.then(
      () => done.abort(),
      () => done.abort(),
    );
    await pause(SLOW, undefined, { signal: done.signal }).catch(() => {});
    const ofOrganization = this.#slow.get(orgId) ?? 0;
    if (done.signal.aborted || this.#slowOfAll >= MOST_SLOW || ofOrganization >= SLOW_OF_ORGANIZATION) {
      await ended;
      return;
    }
    this.#slowOfAll += 1;
    this.#slow.set(orgId, ofOrganization + 1);
    void ended.then(() => this.#leaveSlow(orgId));
  }

  #leaveSlow(orgId: number): void {
    const left = (this.#slow.get(orgId) ?? 0) - 1;
    this.#slowOfAll -= 1;
    if (left > 0) {
      this.#slow.set(orgId, left);
    } else {
      this.#slow.delete(orgId);
    }
  }
}

function bounds(total: number, perKey: number) {
  return {
    total,
    perKey,
    perKeyWithRoom: perKey,
    // Each lane waits at most once, for as long as it takes.
    waitingPerKey: Number.POSITIVE_INFINITY,
    patience: LONGEST_TIMER,
  };
}

const LONGEST_TIMER = 2 ** 31 - 1;
