import { type FragmentSqlToken, sql } from '../../../db/timescale/queries/sql.ts';
import type { Column, Columns } from '../columns.ts';

/**
 * What `entries.ts` says of a new row, from the row itself: for statements that make many.
 *
 * @param table its alias.
 * @param others further pairs of name and value.
 */
export function loggedRow(columns: Columns, table: string, others: FragmentSqlToken): FragmentSqlToken {
  const key = sql.identifier([table, 'external_key']);
  const fields = Object.entries(columns).map(
    ([name, { type }]) =>
      sql.fragment`${sql.literalValue(name)}, ${loggedValue(type, sql.fragment`${sql.identifier([table, name])}`)}`,
  );
  return sql.fragment`json_build_object('external_key', ${key}, ${sql.join(fields, sql.fragment`, `)}, ${others})`;
}

function loggedValue(type: Column['type'], value: FragmentSqlToken): FragmentSqlToken {
  return type === 'time' ? loggedTime(value) : type === 'json' ? sql.fragment`logged_value(${value})` : value;
}

/** As the API shows it. */
function loggedTime(value: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
