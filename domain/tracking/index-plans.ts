import { NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';

/**
 * Has this transaction's statements find each row by the index that leads to it most directly, whatever statistics there
 * are. Without any, as on a young chunk or after a restore, a table counts as small and every index as good; and a plan
 * that is made for a connection while a table has two pages is kept while it grows to millions of rows, until it is
 * analyzed. So:
 *
 *   - statements that look up rows for those of a batch say `cross join lateral (... offset 0)`, or `on conflict`, which
 *     leave the planner no other order (a merge join on `org_id` alone compared 111 million rows for 1,000 late reads);
 *   - of indexes that begin alike, the one meant gives an order: its last column is compared by `between` with a single value,
 *     and sorted by. Where statistics say "empty" every index costs the same, and what needs no sorting is then taken (known
 *     scans were looked up among all of an organization's at that moment: 250 rows for each);
 *   - no table is read from one end to the other;
 *   - an entry of an index costs as much as a page, so the index by which the fewest are looked at wins;
 *   - plans are made for any organization and kept. Where planning is free, as its cost counts by operators, PostgreSQL plans
 *     for each execution; and for an organization that came after the last statistics it expects a row by whatever index
 *     begins with `org_id`. Keys of locations were checked so: 4 million rows for 2,000 first reads at as many locations.
 *
 * Sent along with what follows it, in front of every look-up of the transaction. Compiling such plans (`jit`) would be for their costs, which mean nothing then.
 */
export function findByIndexes(db: Connection): Promise<unknown> {
  return db.exec(FIND_BY_INDEXES);
}

const FIND_BY_INDEXES = sql.prepared('find-by-indexes', NO_ROWS)`
  select set_config('enable_seqscan', 'off', true), set_config('cpu_index_tuple_cost', '1', true),
    set_config('cpu_operator_cost', '0', true), set_config('jit', 'off', true),
    set_config('plan_cache_mode', 'force_generic_plan', true)`;
