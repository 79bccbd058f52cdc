/**
 * Makes of work that reads the device's memory one that never runs twice at once: what is asked for while it runs is
 * answered by one more run after it. An RFID sled changes what is shown a hundred times a second.
 */
export function latest(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let isStale = false;
  const run = async () => {
    while (isStale) {
      isStale = false;
      await work();
    }
  };
  return () => {
    isStale = true;
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
}
