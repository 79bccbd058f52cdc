import { type FragmentSqlToken, sql, type ValueExpression } from 'slonik';
import type { SortTerm } from '../shared/http/lists.ts';

/**
 * `order by` terms; nulls last either way, and the tie-breaker at the end so that pages never overlap.
 *
 * @param columns what each field sorts by; text columns are bytewise (`collate "C"`).
 */
export function orderBy<Field extends string>(
  terms: readonly SortTerm<Field>[],
  columns: Readonly<Record<Field, FragmentSqlToken>>,
  tie: FragmentSqlToken,
): ValueExpression {
  const sorted = terms.map(({ field, isDescending }) =>
    isDescending
      ? sql.fragment`${columns[field]} desc nulls last`
      : sql.fragment`${columns[field]} asc nulls last`,
  );
  return sql.join([...sorted, tie], sql.fragment`, `);
}

/** All conditions that apply; those that do not are null. */
export function allOf(conditions: readonly (FragmentSqlToken | null)[]): ValueExpression {
  return sql.and(conditions);
}

/** A condition on a filter's values, or null if the filter is absent. */
export function when<T>(
  value: T | undefined,
  condition: (value: T) => FragmentSqlToken,
): FragmentSqlToken | null {
  return value === undefined ? null : condition(value);
}

/**
 * Rows that are in effect now, by the database's clock (interface section 3).
 *
 * @param table its alias.
 */
export function inEffect(table: string): FragmentSqlToken {
  const from = sql.identifier([table, 'valid_from']);
  const to = sql.identifier([table, 'valid_to']);
  return sql.fragment`(${from} <= now() and (${to} is null or ${to} > now()))`;
}

/** Folds case by Unicode, whatever the server's locale; to upper case first, so that both forms of sigma meet. */
export function folded(text: ValueExpression): FragmentSqlToken {
  return sql.fragment`lower(upper((${text})::text collate "pg_c_utf8"))`;
}

/** Whether any of the texts has the searched one in it, letter case aside. */
export function containsText(searched: string, texts: readonly FragmentSqlToken[]): FragmentSqlToken {
  const found = texts.map((text) => sql.fragment`strpos(${folded(text)}, ${folded(searched)}) > 0`);
  return sql.fragment`(${sql.or(found)})`;
}

/**
 * What `updated_at` becomes when a row changes: now, and later than it was by what the wire can show, also within one
 * millisecond.
 */
export const NEXT_UPDATE = sql.fragment`greatest(
  clock_timestamp(), date_trunc('milliseconds', updated_at) + interval '1 millisecond')`;
