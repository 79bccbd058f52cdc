import type { Page } from '../shared/http/lists.ts';

/**
 * A page from rows that each carry the count of all rows. A page beyond the last row is one row that has nothing
 * but the count: its `id` is null.
 */
export function pageOf<Row extends { id: number | string }>(
  rows: readonly (Row & { total_count: number })[],
): Page<Row> {
  return {
    rows: rows.filter(({ id }: { id: number | string | null }) => id !== null),
    totalCount: rows[0]?.total_count ?? 0,
  };
}
