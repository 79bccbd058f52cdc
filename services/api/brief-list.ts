import { sql } from '../../db/timescale/sql.ts';
import type { Paging, SortTerm } from '../shared/http/lists.ts';

/** How far from the first row a list still reads little. */
const FIRST = 200;

/**
 * Ends a brief list where none goes further. The planner does not see the limit of a statement that it plans for all
 * values, and would expect a tenth of all rows: sorting them all would look better than reading some in order.
 */
export const AT_MOST_FIRST = sql.fragment`limit ${sql.literalValue(String(FIRST))}`;
export const NOTHING = sql.fragment``;

type Filters = Paging & {
  sort: readonly SortTerm<string>[];
  include_deleted?: boolean;
  q?: string | undefined;
};

/** Whether a list is of a few rows that are named by their keys. The index of keys has the live rows only. */
export function isFoundByKey(filters: Filters & { external_key?: readonly string[] | undefined }): boolean {
  const { external_key: keys, q, include_deleted: withDeleted } = filters;
  return (
    keys !== undefined && keys.length <= FIRST && q === undefined && withDeleted !== true && isNear(filters)
  );
}

/**
 * Whether a list is of the first rows in the order of an index, or of those that a few more conditions leave. How many rows
 * have to be passed over for those conditions is not known: the time limit of brief lists is for that.
 */
export function isFirstOf(filters: Filters, { inOrderOf }: { inOrderOf: string }): boolean {
  const { sort, q, include_deleted: withDeleted } = filters;
  return q === undefined && withDeleted !== true && isNear(filters) && sort[0]?.field === inOrderOf;
}

export function isNear({ limit, offset }: Paging): boolean {
  return limit + offset <= FIRST;
}
