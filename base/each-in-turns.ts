import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds for which others wait for the loop. */
const TURN = 10;

/** The results of `work`, in order; whatever else the process has to do comes in between. */
export async function eachInTurns<Item, Result>(
  items: Iterable<Item>,
  work: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let began = performance.now();
  for (const item of items) {
    results.push(work(item));
    if (performance.now() - began > TURN) {
      await nextTurn();
      began = performance.now();
    }
  }
  return results;
}
