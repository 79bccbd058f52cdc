import { CommitUnknown, type TransactionMark } from '../../../db/timescale/connections/transaction.ts';

type Flush<Item, Result, Options extends unknown[]> = (
  items: readonly Item[],
  ...options: Options
) => Promise<readonly Result[]>;

/**
 * Wraps a flush so that it can be retried after an unanswered commit without counting twice (scans are idempotent
 * anyway). Before the next attempt with any of the items, it asks whether the commit went through.
 *
 * @param flush throws CommitUnknown with the results if it does not know.
 * @param wasCommitted gets what was to be committed; asked until it answers.
 */
export function exactlyOnce<Item extends object, Result, Options extends unknown[] = []>(
  flush: Flush<Item, Result, Options>,
  wasCommitted: (mark: TransactionMark, items: readonly Item[]) => Promise<boolean>,
): Flush<Item, Result, Options> {
  const unknown = new WeakMap<Item, Unknown<Item, Result>>();

  const findCommitted = async (items: readonly Item[]): Promise<ReadonlyMap<Item, Result>> => {
    const committed = new Map<Item, Result>();
    for (const commit of new Set(items.flatMap((item) => unknown.get(item) ?? []))) {
      // The next commit may overwrite the stored row.
      commit.isCommitted ??= await wasCommitted(commit.mark, [...commit.results.keys()]);
      if (commit.isCommitted) {
        for (const [item, result] of commit.results) {
          committed.set(item, result);
        }
      } else {
        for (const item of commit.results.keys()) {
          unknown.delete(item);
        }
      }
    }
    return committed;
  };

  const attempt: Flush<Item, Result, Options> = async (items, ...options) => {
    try {
      return await flush(items, ...options);
    } catch (error) {
      if (!(error instanceof CommitUnknown)) {
        throw error;
      }
      const results = error.result as readonly Result[];
      const commit = {
        mark: error.mark,
        isCommitted: null,
        results: new Map(items.map((item, index) => [item, results[index] as Result])),
      };
      for (const item of items) {
        unknown.set(item, commit);
      }
      throw error.cause;
    }
  };

  return async (items, ...options) => {
    const committed = await findCommitted(items);
    const open = items.filter((item) => !committed.has(item));
    const results = (open.length === 0 ? [] : await attempt(open, ...options)).values();
    return items.map((item) => (committed.has(item) ? committed.get(item) : results.next().value) as Result);
  };
}

interface Unknown<Item, Result> {
  mark: TransactionMark;
  /** Null until it is known. */
  isCommitted: boolean | null;
  results: ReadonlyMap<Item, Result>;
}
