import { AppError } from '../../../base/errors.ts';
import { FairSemaphore } from '../../../base/fair-semaphore.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { rethrowLost } from '../../../db/timescale/connections/lost-database.ts';
import { createRequestPool } from '../../../db/timescale/connections/pool.ts';
import { isCancelled } from '../../../db/timescale/connections/sql-state.ts';
import { wakeSealer } from '../../../domain/moves/wake-sealer.ts';

/** Connections to the database beside those of requests, so that none of this delays them. */
const CONNECTIONS = 2;

/**
 * What no organization's own role may see or change: raw scans, moves that are not sealed, readers. Each names its
 * organization, which was found by the session. An organization has one under way at a time.
 */
export class Insight {
  /** Called after a commit that changed histories of these organizations. */
  readonly onMoves: (orgIds?: Iterable<number>) => void;
  readonly #pool: Pool;
  readonly #turns = new FairSemaphore<number>({
    ...{ total: CONNECTIONS, perKey: 1, perKeyWithRoom: 1 },
    ...{ waitingPerKey: 50, patience: 15_000 },
  });

  /** @param timeout of statements, in milliseconds. */
  constructor(url: string, { applicationName, timeout }: { applicationName: string; timeout: number }) {
    const patience = { statement: timeout, answer: timeout + 10_000 };
    this.#pool = createRequestPool(url, { max: CONNECTIONS, applicationName, patience });
    this.onMoves = wakeSealer(this.#pool);
  }

  /** @throws AppError `timed_out` beyond the time limit, or if others of the organization take too long. */
  run<Result>(
    orgId: number,
    work: (installation: Pool) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    return this.#turns.run(orgId, () => work(this.#pool).catch(rethrowKnown), signal);
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

function rethrowKnown(error: unknown): never {
  if (isCancelled(error)) {
    throw new AppError('timed_out', 'It took too long and was cancelled; try again later', { cause: error });
  }
  return rethrowLost(error, false);
}
