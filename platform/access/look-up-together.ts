/**
 * Batches look-ups by id: look-ups that arrive while a query runs share the next one. So made-up ids cost the database
 * one query at a time and do not delay good ones. A result is never older than its request.
 *
 * @param lookMany finds at most {@link MOST_AT_ONCE} ids; absent from the map means unknown.
 */
export function lookUpTogether<Row>(
  lookMany: (ids: readonly string[]) => Promise<ReadonlyMap<string, Row>>,
): (id: string) => Promise<Row | null> {
  const waiting = new Map<string, PromiseWithResolvers<Row | null>>();
  let isLooking = false;

  async function lookUntilNoneWaits(): Promise<void> {
    isLooking = true;
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, MOST_AT_ONCE);
      for (const [id] of batch) {
        waiting.delete(id);
      }
      try {
        const rows = await lookMany(batch.map(([id]) => id));
        for (const [id, { resolve }] of batch) {
          resolve(rows.get(id) ?? null);
        }
      } catch (error) {
        for (const [, { reject }] of batch) {
          reject(error);
        }
      }
    }
    isLooking = false;
  }

  return (id) => {
    const asked = waiting.get(id) ?? Promise.withResolvers<Row | null>();
    waiting.set(id, asked);
    if (!isLooking) {
      lookUntilNoneWaits();
    }
    return asked.promise;
  };
}

const MOST_AT_ONCE = 1_000;
