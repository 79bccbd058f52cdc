import { ulid } from 'ulid';
import type { Place } from '../gateway/place.ts';
import { discard, queueAgain } from '../queue/refused-submissions.ts';
import type { Database } from '../storage/database.ts';
import { changeFinished } from '../sweep/finished-sweeps.ts';

/** What a user does about what the gateway refuses. */
export class Refused {
  readonly #database: Database;
  readonly #show: () => Promise<void>;
  readonly #send: () => void;

  constructor(database: Database, { show, send }: { show(): Promise<void>; send(): void }) {
    this.#database = database;
    this.#show = show;
    this.#send = send;
  }

  /** Resends scans; `place` replaces one that no longer exists. */
  async sendAgain(submissionId: string, place: Place | null): Promise<void> {
    await queueAgain(this.#database, submissionId, place);
    await this.#show();
    this.#send();
  }

  async discard(submissionId: string): Promise<void> {
    await discard(this.#database, submissionId);
    await this.#show();
  }

  /** Resends a sweep under another id: under its own, another body may have been received. */
  async sendSweepAgain(sweepId: string): Promise<void> {
    await changeFinished(this.#database, sweepId, (now) => ({
      ...now,
      ...{ sweep_id: ulid(), state: 'told', reason: null },
    }));
    await this.#show();
    this.#send();
  }

  async discardSweep(sweepId: string): Promise<void> {
    await changeFinished(this.#database, sweepId, () => null);
    await this.#show();
  }
}
