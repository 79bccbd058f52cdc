import { type FragmentSqlToken, sql } from '../../../db/timescale/queries/sql.ts';

/**
 * As `micros_of_time` by floating point, exact until 2106, and no scan is dated later: a fifth of a microsecond instead
 * of half, for each of the thousands of rows of a batch.
 */
export function microsOf(time: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`round(date_part('epoch', ${time}) * 1000000)::bigint`;
}
