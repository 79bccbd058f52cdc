import { createSqlTag, type QuerySqlToken } from '@slonik/sql-tag';
import type pg from 'pg';

export type { FragmentSqlToken, ValueExpression } from '@slonik/sql-tag';

/**
 * slonik's tag alone: the rest of slonik would take 10 MB and 50 ms of every process. Nothing else imports it; {@link
 * toConfig} turns what the tag makes into what `pg` takes.
 */
export const sql = createSqlTag();

/** A query made by `sql.type` or `sql.prepared`. */
export type RowQuery<Row> = QuerySqlToken<RowType<Row>>;

type RowType<Row> = QuerySqlToken['parser'] & {
  readonly '~standard': { readonly types?: { readonly input: Row; readonly output: Row } | undefined };
};

/**
 * Type of a query's rows. Schema and query are written side by side and tested on the database, so rows are not
 * validated one by one.
 */
export function rowsOf<Row>(): RowType<Row> {
  return PASS as RowType<Row>;
}

const PASS: QuerySqlToken['parser'] = {
  '~standard': { version: 1, vendor: 'tagtrail', validate: (value) => ({ value }) },
};

/** For statements that return nothing. */
export const NO_ROWS = rowsOf<never>();

/**
 * Converts a query for `pg`. slonik numbers parameters `$slonik_1`, once each, in order of the values; a text without
 * any is taken as it is.
 *
 * @throws RangeError for a text with the marker elsewhere, as in a literal.
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
