import { AppError } from '../../../base/errors.ts';
import { FairSemaphore, type Place } from '../../../base/fair-semaphore.ts';
import { cancelsAllRunning } from '../../../db/timescale/connections/cancel-running.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { rethrowLost } from '../../../db/timescale/connections/lost-database.ts';
import { createRequestPool } from '../../../db/timescale/connections/pool.ts';
import { isCancelled } from '../../../db/timescale/connections/sql-state.ts';
import { wakeSealer } from '../../../domain/moves/wake-sealer.ts';

/** Connections besides those of requests, so that requests are not delayed. */
const CONNECTIONS = 2;

/** An organization that keeps its connection busy is cut after two seconds if one without any waits as long. */
const BOUNDS = {
  ...{ total: CONNECTIONS, perKey: 1, perKeyWithRoom: 1, kept: 1 },
  ...{ slice: 2_000, waitingPerKey: 50, patience: 15_000 },
};

/** Milliseconds from one cancellation of work that others wait for to the next, until it ends. */
const CANCEL_EVERY = 250;

/** One connection, and what cancels the statement that runs on it. */
interface Desk {
  pool: Pool;
  cancel: () => Promise<unknown>;
}

/**
 * Access to rows that an organization's role may not see: raw scans, unsealed moves, readers. Every statement names the
 * session's organization. One at a time per organization.
 */
export class Insight {
  /** Called after a commit that changed histories of these organizations. */
  readonly onMoves: (orgIds?: Iterable<number>) => void;
  readonly #all: readonly Desk[];
  readonly #free: Desk[];
  readonly #turns = new FairSemaphore<number>(BOUNDS);

  /** @param timeout of statements, in milliseconds. */
  constructor(url: string, { applicationName, timeout }: { applicationName: string; timeout: number }) {
    const patience = { statement: timeout, answer: timeout + 10_000 };
    this.#all = Array.from({ length: CONNECTIONS }, () => {
      const pool = createRequestPool(url, { max: 1, applicationName, patience });
      return { pool, cancel: cancelsAllRunning(pool) };
    });
    this.#free = [...this.#all];
    this.onMoves = wakeSealer({
      exec: async (query) => (await (this.#free[0] ?? this.#all[0])?.pool.exec(query)) ?? 0,
    });
  }

  /**
   * @throws AppError `timed_out` beyond the time limit, if it is cut for others, or if others of the organization take too
   * long.
   */
  run<Result>(
    orgId: number,
    work: (installation: Pool) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    return this.#turns.run(orgId, (place) => this.#at(place, work), signal);
  }

  async #at<Result>({ asked }: Place, work: (installation: Pool) => Promise<Result>): Promise<Result> {
    const desk = this.#free.pop() as Desk;
    let cancelling: Promise<unknown> = Promise.resolve();
    let timer: NodeJS.Timeout | undefined;
    const cancel = () => {
      cancelling = desk.cancel();
      timer = setTimeout(cancel, CANCEL_EVERY);
    };
    asked.addEventListener('abort', cancel);
    try {
      return await work(desk.pool).catch((error) => rethrowKnown(error, asked));
    } finally {
      asked.removeEventListener('abort', cancel);
      clearTimeout(timer);
      await cancelling;
      this.#free.push(desk);
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#all.map(({ pool }) => pool.end()));
  }
}

function rethrowKnown(error: unknown, { aborted: isCut }: AbortSignal): never {
  if (isCancelled(error)) {
    const why = isCut ? 'It took long while others waited' : 'It took too long';
    throw new AppError('timed_out', `${why} and was cancelled; try again later`, { cause: error });
  }
  return rethrowLost(error, false);
}
