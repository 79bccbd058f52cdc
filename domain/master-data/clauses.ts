import type { Paging, SortTerm } from '../../base/page.ts';
import { type FragmentSqlToken, sql, type ValueExpression } from '../../db/timescale/queries/sql.ts';

/**
 * `order by` terms; nulls last either way, ending with a tie-breaker so that pages of unchanged rows never overlap.
 *
 * `nulls last` is written for nullable columns only: an index read backwards would put nulls first, so PostgreSQL would
 * sort everything instead: 50 ms for the last 50 of 100,000 assets by key.
 *
 * @param columns by field; text is bytewise (`collate "C"`).
 * @param options nullable fields, and unique ones, after which nothing needs sorting: an index on such a field then has
 * the order by itself, 25 us less of 470 for a page of 50. With `after` ({@link isNext}) the tie-breaker is the order.
 */
export function orderBy<Field extends string>(
  terms: readonly SortTerm<Field>[],
  columns: Readonly<Record<Field, FragmentSqlToken>>,
  tie: FragmentSqlToken,
  { nullable = [], unique = [], after }: OrderOptions<Field> = {},
): ValueExpression {
  if (after !== undefined) {
    return tie;
  }
  const settling = terms.findIndex(({ field }) => unique.includes(field));
  const needed = settling === -1 ? terms : terms.slice(0, settling + 1);
  const sorted = needed.map(({ field, isDescending }) => {
    const order = isDescending ? DESCENDING[nullable.includes(field) ? 'nullable' : 'filled'] : ASCENDING;
    return sql.fragment`${columns[field]} ${order}`;
  });
  return sql.join(settling === -1 ? [...sorted, tie] : sorted, COMMA);
}

interface OrderOptions<Field> extends Pick<Paging, 'after'> {
  nullable?: readonly Field[];
  unique?: readonly Field[];
}

const COMMA = sql.fragment`, `;

const ASCENDING = sql.fragment`asc`;
const DESCENDING = { filled: sql.fragment`desc`, nullable: sql.fragment`desc nulls last` };

/** The rows of a list that is read whole by their ids (`after`). */
export function isNext(id: FragmentSqlToken, after: number | undefined): FragmentSqlToken {
  return after === undefined ? sql.fragment`true` : sql.fragment`${id} > ${after}`;
}

export function allOf(conditions: readonly (FragmentSqlToken | null)[]): ValueExpression {
  return sql.and(conditions);
}

export function when<T>(
  value: T | undefined,
  condition: (value: T) => FragmentSqlToken,
): FragmentSqlToken | null {
  return value === undefined ? null : condition(value);
}

/**
 * Rows in effect now, by the database's clock (contract 3). `live-count.ts` counts the others. Nearly all are: `is true`
 * keeps PostgreSQL from looking for them by an index, which without statistics it would.
 *
 * @param table its alias.
 */
export function inEffect(table: string): FragmentSqlToken {
  const from = sql.identifier([table, 'valid_from']);
  const to = sql.identifier([table, 'valid_to']);
  return sql.fragment`(${from} <= now() and (${to} is null or ${to} > now())) is true`;
}

/**
 * The new `updated_at` of a changed row: now, and visibly later on the wire than before, even within one millisecond.
 */
export const NEXT_UPDATE = nextUpdate(sql.fragment`updated_at`);

export function nextUpdate(updatedAt: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`greatest(
    clock_timestamp(), date_trunc('milliseconds', ${updatedAt}) + interval '1 millisecond')`;
}

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
  metadata?: object | undefined;
};

/** True if a list only has rows named by their keys. */
export function isFoundByKey(filters: Filters & { external_key?: readonly string[] | undefined }): boolean {
  const { external_key: keys } = filters;
  return keys !== undefined && keys.length <= FIRST && isOfIndex(filters);
}

/** True if an index, which has live rows only, may lead to the rows of a list without reading many others. */
function isOfIndex({ q, metadata, include_deleted: withDeleted, ...paging }: Filters): boolean {
  return q === undefined && metadata === undefined && withDeleted !== true && isNear(paging);
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

/** No index might serve them. Without a location, `include_descendants` has no effect. */
const OF_LOOK_UPS = new Set([
  ...['external_key', 'sort', 'limit', 'offset', 'include_deleted', 'include_not_in_effect', 'is_active'],
  'include_descendants',
]);

/**
 * True if a list has the first rows in the order of an index, possibly narrowed by further conditions. How
 * many rows those skip is unknown; the time limit of brief lists covers that.
 */
export function isFirstOf(filters: Filters, { inOrderOf }: { inOrderOf: string }): boolean {
  const isInOrder = filters.after !== undefined || filters.sort[0]?.field === inOrderOf;
  return isInOrder && isOfIndex(filters);
}

export function isNear({ limit, offset }: Paging): boolean {
  return limit + offset <= FIRST;
}
