export interface Paging {
  limit: number;
  offset: number;
  /** Rows by id, after this one. */
  after?: number | undefined;
}

/** Rows and total count come from one snapshot. */
export interface Page<T> {
  rows: readonly T[];
  totalCount: number;
  /** JSON of the remaining rows, piece by piece, where they are too large to hold together. */
  later?: AsyncIterable<Uint8Array>;
}

export interface SortTerm<Field extends string> {
  field: Field;
  isDescending: boolean;
  /** The member, for a field whose members callers name. */
  member?: string;
}

/**
 * Builds a page from rows that each carry the total count. A page beyond the end is one row with a null `id` that
 * carries the count alone.
 */
export function pageOf<Row extends { id: number | string }>(
  rows: readonly (Row & { total_count: number })[],
): Page<Row> {
  return {
    rows: rows.filter(({ id }: { id: number | string | null }) => id !== null),
    totalCount: rows[0]?.total_count ?? 0,
  };
}
