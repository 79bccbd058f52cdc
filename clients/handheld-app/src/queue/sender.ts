import { signal } from '@preact/signals';
import type { Unanswered } from '../gateway/answers.ts';
import type { GatewayClient } from '../gateway/client.ts';
import type { Database } from '../storage/database.ts';
import type { StoredScan } from '../storage/scan.ts';
import {
  changeFinished,
  correctFinished,
  type FinishedSweep,
  nextFinished,
} from '../sweep/finished-sweeps.ts';
import { backOff } from './back-off.ts';
import { MOST_SCANS } from './bundle.ts';
import type { DeviceClock } from './device-clock.ts';
import { queueAgain, setAside } from './refused-submissions.ts';
import { correctTimes, storeResults, takeNext } from './store.ts';
import { nextUndo, settleUndo, type Undo } from './undo.ts';

export interface SenderParts {
  database: Database;
  gateway: GatewayClient;
  clock: DeviceClock;
  /** Null while nobody is signed in. */
  token(): string | null;
  newId(): string;
  random(): number;
  /** Whether the browser knows that there is no network. */
  isOffline(): boolean;
  /**
   * Settles the record of a finished sweep; null if the user continued it. Scans that it depends on may be unanswered.
   */
  settle(finished: FinishedSweep): Promise<FinishedSweep | Unanswered | null>;
  onAnswered(scans: readonly StoredScan[]): void;
  onSwept(): void;
  onTakenBack(): void;
  onRefused(reason: string): void;
  onUnauthorized(token: string, detail: string): void;
}

/** Outcome of the last attempt to send. */
export type Link = 'fine' | 'sending' | 'offline' | 'waiting';

/**
 * Sends the queue in order, one submission or finished sweep at a time per device: each is stored with its id first and sent under that
 * id until the gateway answers. The gateway accepts an id once, so repeating is harmless; tabs take turns by a lock,
 * and where there are no locks (pages without TLS) they repeat at worst.
 */
export class Sender {
  readonly link = signal<Link>('fine');
  /** Reason of the last failure, for the user; null if there was none. */
  readonly trouble = signal<string | null>(null);
  readonly #parts: SenderParts;
  #failures = 0;
  /** Scans per submission: fewer once one was too large for a server on the way. */
  #mostScans = MOST_SCANS;
  /** Scans that the network managed in time; doubled by every answer. */
  #mostInTime = MOST_SCANS;
  #isRunning = false;
  #isWanted = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  wake(): void {
    if (this.#timer === undefined) {
      void this.#run();
    }
  }

  /** Call when the network may be back: ends the back-off. */
  retryNow(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#failures = 0;
    void this.#run();
  }

  async #run(): Promise<void> {
    this.#isWanted = true;
    if (this.#isRunning) {
      return;
    }
    this.#isRunning = true;
    try {
      while (this.#isWanted) {
        this.#isWanted = false;
        await inTurn(() => this.#sendAll());
      }
    } finally {
      this.#isRunning = false;
    }
  }

  async #sendAll(): Promise<void> {
    const { database, gateway, clock, newId, token: currentToken, isOffline } = this.#parts;
    for (;;) {
      const token = currentToken();
      if (token === null) {
        this.link.value = 'fine';
        return;
      }
      if (isOffline()) {
        this.link.value = 'offline';
        this.trouble.value = null;
        return;
      }
      if (clock.isUnsure) {
        const answer = await gateway.time(token);
        if (answer.kind === 'unreachable') {
          this.#tryLater(answer);
          return;
        }
      }
      const corrections = clock.takeCorrections();
      await correctTimes(database, corrections);
      await correctFinished(database, corrections);
      const undo = await nextUndo(database);
      if (undo !== null) {
        if (await this.#sendUndo(token, undo)) {
          continue;
        }
        return;
      }
      const finished = await nextFinished(database);
      if (finished !== null) {
        if (await this.#sendFinished(token, finished)) {
          continue;
        }
        return;
      }
      const next = await takeNext(database, newId, Math.min(this.#mostScans, this.#mostInTime));
      if (next === null) {
        this.link.value = 'fine';
        return;
      }
      if (!(await this.#send(token, next))) {
        return;
      }
    }
  }

  /** @returns whether the next one can go. */
  async #send(
    token: string,
    { submission }: NonNullable<Awaited<ReturnType<typeof takeNext>>>,
  ): Promise<boolean> {
    const { database, gateway, onAnswered } = this.#parts;
    this.link.value = 'sending';
    const answer = await gateway.submit(token, submission, this.#failures);
    const isSlow = answer.kind === 'too_large' && answer.isForSlowness;
    if (answer.kind !== 'unreachable' && !isSlow) {
      this.#succeeded();
    }
    switch (answer.kind) {
      case 'ok':
        this.#mostInTime = Math.min(MOST_SCANS, 2 * this.#mostInTime);
        onAnswered(await storeResults(database, submission.submission_id, answer.data));
        return true;
      case 'refused':
        await this.#setAside(submission, answer);
        return true;
      case 'too_large': {
        const half = Math.floor(submission.scans.length / 2);
        if (half === 0) {
          if (isSlow) {
            this.#tryLater({ detail: answer.detail, seconds: null });
            return false;
          }
          await this.#setAside(submission, { status: 413, detail: answer.detail });
          return true;
        }
        // It was not read whole, so its scans may go out under other ids. (Had it been recorded before on another way, without
        // an answer, the same scans are there twice: that moves nothing.)
        await queueAgain(database, submission.submission_id, null);
        if (isSlow) {
          this.#mostInTime = half;
        } else {
          this.#mostScans = half;
        }
        return true;
      }
      case 'unauthorized':
      case 'unreachable':
        return this.#unanswered(token, answer);
    }
  }

  /** After its submission was answered. @returns whether the next one can go. */
  async #sendUndo(token: string, undo: Undo): Promise<boolean> {
    const { database, gateway, onTakenBack } = this.#parts;
    this.link.value = 'sending';
    const { retraction_id, submission_id, indexes } = undo;
    const answer = await gateway.retract(token, { retraction_id, submission_id, indexes }, this.#failures);
    switch (answer.kind) {
      case 'unauthorized':
      case 'unreachable':
        return this.#unanswered(token, answer);
      default:
        this.#succeeded();
        await settleUndo(database, undo, answer.kind === 'ok' ? null : answer.detail);
        onTakenBack();
        return true;
    }
  }

  /**
   * Sends finished sweeps after the scans before them.
   *
   * @returns whether the next one can go.
   */
  async #sendFinished(token: string, finished: FinishedSweep): Promise<boolean> {
    const { database, gateway, onSwept, onRefused } = this.#parts;
    this.link.value = 'sending';
    const settled = await this.#parts.settle(finished);
    if (settled !== null && 'kind' in settled) {
      return this.#unanswered(token, settled);
    }
    if (settled === null || settled.report === null) {
      return true;
    }
    const { sweep_id } = settled;
    const answer = await gateway.sweep(token, sweep_id, settled.report, this.#failures);
    switch (answer.kind) {
      case 'ok':
        this.#succeeded();
        await changeFinished(database, sweep_id, () => null);
        onSwept();
        return true;
      case 'unauthorized':
      case 'unreachable':
        return this.#unanswered(token, answer);
      default:
        if (answer.kind === 'too_large' && answer.isForSlowness) {
          this.#tryLater({ detail: answer.detail, seconds: null });
          return false;
        }
        this.#succeeded();
        await changeFinished(database, sweep_id, (now) => ({
          ...now,
          ...{ state: 'refused', reason: answer.detail },
        }));
        onRefused(answer.detail);
        return true;
    }
  }

  /** @returns false: nothing else can be sent either. */
  #unanswered(token: string, answer: Unanswered): false {
    if (answer.kind === 'unauthorized') {
      this.link.value = 'fine';
      this.#parts.onUnauthorized(token, answer.detail);
    } else {
      this.#tryLater(answer);
    }
    return false;
  }

  #succeeded(): void {
    this.#failures = 0;
    this.trouble.value = null;
  }

  async #setAside(
    { submission_id }: { submission_id: string },
    { status, detail }: { status: number; detail: string },
  ): Promise<void> {
    const { database, onRefused } = this.#parts;
    await setAside(database, submission_id, { status, reason: detail });
    onRefused(detail);
  }

  #tryLater({ detail, seconds }: { detail: string; seconds: number | null }): void {
    const { random, isOffline } = this.#parts;
    this.#failures += 1;
    this.link.value = isOffline() ? 'offline' : 'waiting';
    this.trouble.value = detail;
    const wait = backOff(this.#failures, random(), seconds);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#run();
    }, wait);
  }
}

/** Runs `work` under a lock between tabs. */
async function inTurn(work: () => Promise<void>): Promise<void> {
  // Only pages that came over TLS, or from this machine, have locks.
  const locks: LockManager | undefined = navigator.locks;
  await (locks === undefined ? work() : locks.request('tagtrail-send', work));
}
