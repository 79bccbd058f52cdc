import { NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';

/**
 * Makes this transaction's statements find each row by the most direct index, whatever the statistics. Without any, as on
 * a young chunk or after a restore, a table counts as small and one index as good as another; and a plan that a connection
 * makes while a table has two pages is kept while it grows to millions of rows, until it is analyzed. So:
 *
 *   - statements that look up rows for a batch use `cross join lateral (... offset 0)`, or `on conflict`, which leave the
 *     planner no other join order (a merge join on `org_id` alone compared 111 million rows for 1,000 late reads);
 *   - of indexes with a common prefix, the intended one supplies an order: its last column is compared by `between` with a
 *     single value, and sorted by. Where statistics say "empty" every index costs the same, and the one that saves a sort
 *     wins (known scans were looked up among all of an organization's at that moment: 250 rows each);
 *   - sequential scans are off;
 *   - an index entry costs as much as a page, so the index that visits the fewest wins;
 *   - plans are generic. With operators at no cost planning seems free, too, so PostgreSQL would plan every execution; and
 *     for an organization newer than the statistics it expects one row from any index that begins with `org_id`. Checks of
 *     locations' keys were planned so: 4 million rows for 2,000 first reads at as many locations;
 *   - TimescaleDB leaves out chunks when a statement starts, and not again for each row of it: to think about a chunk takes
 *     longer than to find nothing in its index (21 chunks: 60 us for a late read, and 30 without). Without TimescaleDB the
 *     setting has no meaning.
 *
 * Sent together with the statement that follows, before every look-up of the transaction. `jit` is off because it is
 * triggered by costs, which mean nothing here.
 */
export function findByIndexes(db: Connection): Promise<unknown> {
  return db.exec(FIND_BY_INDEXES);
}

const FIND_BY_INDEXES = sql.prepared('find-by-indexes', NO_ROWS)`
  select set_config('enable_seqscan', 'off', true), set_config('cpu_index_tuple_cost', '1', true),
    set_config('cpu_operator_cost', '0', true), set_config('jit', 'off', true),
    set_config('plan_cache_mode', 'force_generic_plan', true),
    set_config('timescaledb.enable_runtime_exclusion', 'off', true)`;
