/** Where a page of a list starts, and how many rows it has at most. */
export interface Paging {
  limit: number;
  offset: number;
}

/** A page of rows, and how many rows there are on all pages; both of one snapshot. */
export interface Page<T> {
  rows: readonly T[];
  totalCount: number;
  /** The JSON of the rows after those, some at a time, where they are too large to be held together. */
  later?: AsyncIterable<Uint8Array>;
}

export interface SortTerm<Field extends string> {
  field: Field;
  isDescending: boolean;
}

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
