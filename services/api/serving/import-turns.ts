import { expensiveTurns } from '../../../base/expensive-turns.ts';
import { FairSemaphore } from '../../../base/fair-semaphore.ts';
import { LeanHeap } from '../../../base/heap.ts';
import { AnotherImport } from '../../../domain/master-data/imports/import-file.ts';
import { Problem } from '../../../platform/http/problem.ts';

/** An import holds a connection until it ends; requests need the others. */
const AT_ONCE = 2;

/** Milliseconds an import waits for its turn: several of the largest imports. Its file stays in memory meanwhile. */
const PATIENCE = 40_000;

export const TOO_MANY = 'As many imports as can run at once are under way; try again in a moment';

/** Batches queue; a second file of an organization does not: the first would make it fail. */
export const QUEUE = {
  waitingPerKey: 8,
  patience: PATIENCE,
  refusal: () => new Problem('unavailable', TOO_MANY, { headers: { 'Retry-After': '5' } }),
};

/** Imports of a process take turns: one per organization and {@link AT_ONCE} in all at a time. */
export class ImportTurns {
  readonly heap = new LeanHeap();
  readonly #turns = new FairSemaphore<number>({
    ...QUEUE,
    ...{ total: AT_ONCE, perKey: 1, perKeyWithRoom: 1, kept: 1 },
  });
  readonly #underWay = new Set<number>();

  /**
   * Runs a batch, short as it is, after others of the organization.
   *
   * @throws Problem `unavailable` as {@link run} does, and beside an import of another process.
   */
  async batch<Result>(orgId: number, work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    expensiveTurns.leave();
    try {
      return await this.#turns.run(orgId, work, signal);
    } catch (error) {
      throw error instanceof AnotherImport ? QUEUE.refusal() : error;
    }
  }

  /**
   * @param signal ends the wait.
   * @throws AnotherImport if another file of the organization runs or waits; Problem `unavailable` if the turn
   * does not come in time.
   */
  async run<Result>(orgId: number, work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    if (this.#underWay.has(orgId)) {
      throw new AnotherImport();
    }
    this.#underWay.add(orgId);
    try {
      return await this.#turns.run(orgId, work, signal);
    } finally {
      this.#underWay.delete(orgId);
    }
  }
}
