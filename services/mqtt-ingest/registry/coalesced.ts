/**
 * One run at a time, in the order of the calls: two at once might end in the other order, and what was read first would
 * stand. Calls that come before a run has begun share it.
 */
export function coalesced(run: () => Promise<void>): () => Promise<void> {
  let last = Promise.resolve();
  let next: Promise<void> | null = null;
  return () => {
    if (next === null) {
      next = last
        .catch(() => {})
        .then(() => {
          next = null;
          return run();
        });
      last = next;
    }
    return next;
  };
}
