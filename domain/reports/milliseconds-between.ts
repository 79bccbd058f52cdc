import { type FragmentSqlToken, sql } from '../../db/timescale/queries/sql.ts';

/**
 * Whole milliseconds between two instants, each cut to milliseconds first, so that consecutive stretches add up to the
 * whole. A double, whose sums are exact up to 285,000 years. By an interval and `date_part`, a row took 0.09 us more.
 */
export function millisecondsBetween(since: FragmentSqlToken, until: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`round(tstzrange_subdiff(${cut(until)}, ${cut(since)}) * 1000)`;
}

function cut(at: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`date_bin('1 millisecond', ${at}, timestamptz 'epoch')`;
}

/** Seconds of milliseconds, rounded to these: means and interpolated percentiles have fractions of them. */
export function secondsOf(milliseconds: number): number {
  return Math.round(milliseconds) / 1_000;
}
