import type pg from 'pg';
import type { QuerySqlToken } from 'slonik';

/** A query of rows, as slonik's `sql.type` and `sql.prepared` compose it. */
export type RowQuery<Row> = QuerySqlToken<RowType<Row>>;

/** Ways to send one. */
export interface RowQueries {
  any<Row>(query: RowQuery<Row>): Promise<readonly Row[]>;
  /** @throws RangeError if there is not exactly one row. */
  one<Row>(query: RowQuery<Row>): Promise<Row>;
  /** @throws RangeError if there is more than one row. */
  maybeOne<Row>(query: RowQuery<Row>): Promise<Row | null>;
  /** The first column of the row. @throws RangeError if there is more than one row. */
  maybeOneFirst<Row extends object>(query: RowQuery<Row>): Promise<Row[keyof Row] | null>;
  /** Whether there is any row. */
  exists(query: RowQuery<unknown>): Promise<boolean>;
  /** For what it does. */
  query(query: RowQuery<unknown>): Promise<void>;
}

export function rowQueries(send: (query: pg.QueryConfig) => Promise<pg.QueryResult>): RowQueries {
  const any = async <Row>(query: RowQuery<Row>): Promise<readonly Row[]> =>
    (await send(toConfig(query))).rows;
  const maybeOne = async <Row>(query: RowQuery<Row>): Promise<Row | null> => {
    const rows = await any(query);
    if (rows.length > 1) {
      throw new RangeError(`${rows.length} rows from a query for at most one`);
    }
    return rows[0] ?? null;
  };
  return {
    any,
    maybeOne,
    maybeOneFirst: async <Row extends object>(query: RowQuery<Row>) => {
      const row = await maybeOne(query);
      const [first] = row === null ? [] : Object.values(row);
      return (first ?? null) as Row[keyof Row] | null;
    },
    exists: async (query) => (await any(query)).length > 0,
    query: async (query) => {
      await send(toConfig(query));
    },
    one: async (query) => {
      const row = await maybeOne(query);
      if (row === null) {
        throw new RangeError('no row from a query for one');
      }
      return row;
    },
  };
}

export function toConfig({
  name,
  sql,
  values,
}: Pick<RowQuery<unknown>, 'name' | 'sql' | 'values'>): pg.QueryConfig {
  const text = sql.replaceAll(SLONIK_PLACEHOLDER, '$');
  return { text, values: [...values], ...(name === undefined ? {} : { name }) };
}

/** slonik numbers parameters as `$slonik_1` and leaves it to whoever sends the query to write `$1`. */
const SLONIK_PLACEHOLDER = '$slonik_';

/**
 * The type of a query's rows, for `sql.type` and `sql.prepared`. The schema and the query are written side by side and
 * tested on the database, so rows are not validated again one by one.
 */
export function rowsOf<Row>(): RowType<Row> {
  return PASS as RowType<Row>;
}

type RowType<Row> = QuerySqlToken['parser'] & {
  readonly '~standard': { readonly types?: { readonly input: Row; readonly output: Row } | undefined };
};

const PASS: QuerySqlToken['parser'] = {
  '~standard': { version: 1, vendor: 'tagtrail', validate: (value) => ({ value }) },
};
