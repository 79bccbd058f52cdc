import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of each round for which others wait; a look-up takes several rounds. A round costs 9 us. */
const TURN = 0.25;

/** Long work in steps; the process does other work in between. */
export class Turns {
  #began = performance.now();

  /** Whether others have waited for long enough; spares a loop of small steps a promise for each. */
  get isOver(): boolean {
    return performance.now() - this.#began > TURN;
  }

  /** To be called after each step: lets others have the loop if they waited for long enough. */
  async next(): Promise<void> {
    if (this.isOver) {
      await nextTurn();
      this.#began = performance.now();
    }
  }
}

/** The results of `work`, in order; the process does other work in between. */
export async function eachInTurns<Item, Result>(
  items: Iterable<Item>,
  work: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  const turns = new Turns();
  for (const item of items) {
    results.push(work(item));
    await turns.next();
  }
  return results;
}
