import { Problem } from '../../../platform/http/problem.ts';

/** Streams of one user: a tab has one. */
const MOST_OF_USER = 30;

/** Who is being sent events. Each holds a connection and some memory, so a user may have several, not any number. */
export class Viewers {
  readonly #byUser = new Map<number, number>();

  /** Streams of all users. */
  get count(): number {
    return this.#byUser.values().reduce((sum, streams) => sum + streams, 0);
  }

  /** @throws Problem `unavailable` if the user has as many as may be. */
  requireRoom(userId: number): void {
    if ((this.#byUser.get(userId) ?? 0) >= MOST_OF_USER) {
      throw new Problem(
        'unavailable',
        `The console is open in ${MOST_OF_USER} tabs already; close one to see moves here as they come`,
        { headers: { 'Retry-After': '30' } },
      );
    }
  }

  async *counting<Piece>(userId: number, pieces: AsyncIterable<Piece>): AsyncGenerator<Piece, void> {
    this.#byUser.set(userId, (this.#byUser.get(userId) ?? 0) + 1);
    try {
      yield* pieces;
    } finally {
      const left = (this.#byUser.get(userId) ?? 1) - 1;
      if (left === 0) {
        this.#byUser.delete(userId);
      } else {
        this.#byUser.set(userId, left);
      }
    }
  }
}
