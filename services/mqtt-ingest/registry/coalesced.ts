/**
 * Debounces runs: one at a time, in order; calls made before a run starts share it. Two concurrent runs might end in
 * the wrong order and leave older data in place.
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
