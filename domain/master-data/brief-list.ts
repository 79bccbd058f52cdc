import type { Paging, SortTerm } from '../../base/page.ts';
import { sql } from '../../db/timescale/queries/sql.ts';

/** Rows from the first within which a list still reads little. */
const FIRST = 200;

/**
 * Ends a brief list that has no next page. The limit is unknown in a generic plan, so the planner would expect a tenth
 * of all rows and rather sort them all.
 */
export const AT_MOST_FIRST = sql.fragment`limit ${sql.literalValue(String(FIRST))}`;
export const NOTHING = sql.fragment``;

type Filters = Paging & {
  sort: readonly SortTerm<string>[];
  include_deleted?: boolean;
  q?: string | undefined;
};

/** True if a list only has rows named by their keys. The index of keys has live rows only. */
export function isFoundByKey(filters: Filters & { external_key?: readonly string[] | undefined }): boolean {
  const { external_key: keys, q, include_deleted: withDeleted } = filters;
  return (
    keys !== undefined && keys.length <= FIRST && q === undefined && withDeleted !== true && isNear(filters)
  );
}

/**
 * The weight, in look-ups, of a list whose rows are named by keys and by nothing another index might serve; undefined
 * for any other list.
 *
 * Among look-ups it costs half (32 callers, busy machine: 301 us of Node.js's time and 115 of PostgreSQL's instead of
 * 584 and 203), because they are pipelined together.
 */
export function lookUpsIn(
  filters: Filters & { external_key?: readonly string[] | undefined },
): number | undefined {
  const { external_key: keys = [] } = filters;
  const isLookUp =
    isFoundByKey(filters) &&
    keys.length <= LOOK_UPS &&
    Object.entries(filters).every(([name, value]) => value === undefined || OF_LOOK_UPS.has(name));
  return isLookUp ? keys.length : undefined;
}

const LOOK_UPS = 8;

/** No index might serve them. */
const OF_LOOK_UPS = new Set([
  ...['external_key', 'sort', 'limit', 'offset', 'include_deleted', 'include_not_in_effect', 'is_active'],
]);

/**
 * True if a list has the first rows in the order of an index, possibly narrowed by further conditions. How
 * many rows those skip is unknown; the time limit of brief lists covers that.
 */
export function isFirstOf(filters: Filters, { inOrderOf }: { inOrderOf: string }): boolean {
  const { sort, q, include_deleted: withDeleted } = filters;
  const isInOrder = filters.after !== undefined || sort[0]?.field === inOrderOf;
  return q === undefined && withDeleted !== true && isNear(filters) && isInOrder;
}

export function isNear({ limit, offset }: Paging): boolean {
  return limit + offset <= FIRST;
}
