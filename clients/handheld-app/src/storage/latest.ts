/**
 * Debounces work that reads storage: it never runs twice at once, and calls during a run share one run after it. An
 * RFID sled changes what is shown a hundred times a second.
 */
export function latest(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let isStale = false;
  const run = async () => {
    try {
      while (isStale) {
        isStale = false;
        await work();
      }
    } finally {
      // With the last look at what is stale: who asks a moment later must not be given a run that is over.
      running = undefined;
    }
  };
  return () => {
    isStale = true;
    running ??= run();
    return running;
  };
}
