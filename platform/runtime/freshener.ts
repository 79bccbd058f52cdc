/** Milliseconds a scrape waits for the database; then it gets the figures of the last one. */
const PATIENCE = 2_000;

/**
 * Shares one load among all metrics of a scrape. Resolves with whether it succeeded in time; a late load goes on, and
 * no other starts meanwhile.
 */
export function freshener(load: () => Promise<void>): () => Promise<boolean> {
  let underWay: Promise<boolean> | null = null;
  return async () => {
    underWay ??= load()
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        underWay = null;
      });
    const late = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => late.resolve(false), PATIENCE);
    try {
      return await Promise.race([underWay, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  };
}
