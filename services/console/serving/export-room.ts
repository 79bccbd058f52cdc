import { Problem } from '../../../platform/http/problem.ts';

/** Exports under way. Each holds up to a MiB of rows for as long as its reader takes. */
const MOST = 40;
const MOST_OF_ORGANIZATION = 4;

export class ExportRoom {
  readonly #byOrganization = new Map<number, number>();

  /** @throws Problem `unavailable` if there are as many as may be. */
  requireRoom(orgId: number): void {
    const all = [...this.#byOrganization.values()].reduce((sum, count) => sum + count, 0);
    if (all >= MOST || (this.#byOrganization.get(orgId) ?? 0) >= MOST_OF_ORGANIZATION) {
      throw new Problem(
        'unavailable',
        'As many exports as can run at once are under way; try again in a moment',
        {
          headers: { 'Retry-After': '10' },
        },
      );
    }
  }

  async *count<Piece>(orgId: number, pieces: AsyncIterable<Piece>): AsyncGenerator<Piece, void> {
    this.#byOrganization.set(orgId, (this.#byOrganization.get(orgId) ?? 0) + 1);
    try {
      yield* pieces;
    } finally {
      const left = (this.#byOrganization.get(orgId) ?? 1) - 1;
      if (left === 0) {
        this.#byOrganization.delete(orgId);
      } else {
        this.#byOrganization.set(orgId, left);
      }
    }
  }
}
