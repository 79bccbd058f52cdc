/**
 * Look-ups by id, many in one query: those asked for while a query is under way wait for the next one. So whoever tries
 * ids that nobody has costs the database one query at a time, however many they are, and does not keep it from those
 * whose id is good. An answer is never older than the question.
 *
 * @param lookMany finds at most {@link MOST_AT_ONCE} of them; what is not in the map is not there.
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
