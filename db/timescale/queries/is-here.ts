import { type FragmentSqlToken, sql } from './sql.ts';

/**
 * False while an organization arrives from another cell: its own row comes last, and until then no process changes its
 * rows here (docs/design/cells.md).
 */
export function isHere(orgId: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`exists (select from organizations here where here.id = ${orgId})`;
}
