import { expensiveTurns, QUEUE } from '../../../base/expensive-turns.ts';
import { FairSemaphore } from '../../../base/fair-semaphore.ts';
import type { Keyed } from '../../../domain/master-data/by-id-or-key.ts';
import { THREADS, type WorkThreads } from '../../../platform/runtime/work-threads.ts';

interface Source {
  url: string;
  /** Statement timeout in milliseconds. */
  timeout: number;
}

export interface LargeRowsTask extends Source {
  orgId: number;
  resource: Keyed;
  ids: readonly number[];
  onlyLive: boolean;
}

/**
 * Reads large rows in worker threads, each with a connection of its own: a row with 1 MiB of metadata is
 * copied several times on its way. Organizations take turns, and one thread stays free for work that does not
 * wait for the database.
 */
export class LargeRows {
  readonly #threads: WorkThreads;
  readonly #source: Source;
  readonly #module: string;
  readonly #turns = new FairSemaphore<number>({ ...QUEUE, total: THREADS - 1, perKey: 1, perKeyWithRoom: 1 });

  constructor(threads: WorkThreads, source: Source, module: string) {
    this.#threads = threads;
    this.#source = source;
    this.#module = module;
  }

  /** {@link ReadLargeRows} */
  read(
    orgId: number,
    resource: Keyed,
    ids: readonly number[],
    { onlyLive } = { onlyLive: false },
  ): Promise<Uint8Array> {
    const argument: LargeRowsTask = { ...this.#source, orgId, resource, ids, onlyLive };
    const inThread = () =>
      this.#turns.run(orgId, () =>
        this.#threads.run<Uint8Array>({ module: this.#module, name: 'readLargeRows', argument }),
      );
    return expensiveTurns.run(orgId, 'rows', inThread, QUEUE);
  }
}
