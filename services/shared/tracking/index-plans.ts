import type { ClientBase } from 'pg';

/**
 * Has this transaction's statements find each row by the index that leads to it most directly, whatever statistics there
 * are. Without any, as on a young chunk or after a restore, a table counts as small and every index as good; and a plan
 * that is made for a connection while a table has two pages is kept while it grows to millions of rows, until it is
 * analyzed. So:
 *
 *   - statements that look up rows for those of a batch say `cross join lateral (... offset 0)`, or `on conflict`, which
 *     leave the planner no other order (a merge join on `org_id` alone compared 111 million rows for 1,000 late reads);
 *   - no table is read from one end to the other;
 *   - an entry of an index costs as much as a page, so the index by which the fewest are looked at wins.
 *
 * Sent along with what follows it. Compiling such plans (`jit`) would be for their costs, which mean nothing then.
 */
export function findByIndexes(client: ClientBase): Promise<unknown> {
  return client.query({
    name: 'find-by-indexes',
    text: `select set_config('enable_seqscan', 'off', true), set_config('cpu_index_tuple_cost', '1', true),
      set_config('cpu_operator_cost', '0', true), set_config('jit', 'off', true)`,
  });
}
