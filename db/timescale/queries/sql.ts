import { createSqlTag, type QuerySqlToken } from '@slonik/sql-tag';
import type pg from 'pg';

export type { FragmentSqlToken, ValueExpression } from '@slonik/sql-tag';

/**
 * slonik's composer of queries, without the rest of slonik, which would take 10 MB and 50 ms of every process. Nothing
 * else imports it: what the tag makes is turned into what `pg` takes here, by {@link toConfig}.
 */
export const sql = createSqlTag();

/** A query as `sql.type` and `sql.prepared` compose it. */
export type RowQuery<Row> = QuerySqlToken<RowType<Row>>;

type RowType<Row> = QuerySqlToken['parser'] & {
  readonly '~standard': { readonly types?: { readonly input: Row; readonly output: Row } | undefined };
};

/**
 * The type of a query's rows, for `sql.type` and `sql.prepared`. The schema and the query are written side by side and
 * tested on the database, so rows are not validated again one by one.
 */
export function rowsOf<Row>(): RowType<Row> {
  return PASS as RowType<Row>;
}

const PASS: QuerySqlToken['parser'] = {
  '~standard': { version: 1, vendor: 'tagtrail', validate: (value) => ({ value }) },
};

/** For queries that return nothing. */
export const NO_ROWS = rowsOf<never>();

/**
 * A query as `pg` takes it. slonik numbers parameters as `$slonik_1`, once each, in the order of the values; a text
 * without any is taken as it is.
 *
 * @throws RangeError for a text that has the mark in it otherwise, as in a literal.
 */
export function toConfig({
  name,
  sql,
  values,
}: Pick<RowQuery<unknown>, 'name' | 'sql' | 'values'>): pg.QueryConfig {
  const parts = sql.split(MARK);
  if (parts.length > 1 && parts.length - 1 !== values.length) {
    throw new RangeError(`a statement with ${values.length} values has ${MARK} ${parts.length - 1} times`);
  }
  const text = parts.join('$');
  return { text, values: [...values], ...(name === undefined ? {} : { name }) };
}

const MARK = '$slonik_';
